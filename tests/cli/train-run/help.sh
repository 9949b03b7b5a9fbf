train-run --help
