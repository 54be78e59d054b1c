#!/usr/bin/env node
// Package managers link the command before the first build: its target must be there then.
import './dist/main.js';
