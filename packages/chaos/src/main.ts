#!/usr/bin/env node
/** `npm run chaos`. */
