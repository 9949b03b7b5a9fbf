train-run generate --help
