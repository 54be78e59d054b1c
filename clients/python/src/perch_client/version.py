version = "0.11.0"
