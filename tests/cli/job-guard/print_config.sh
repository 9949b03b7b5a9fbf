job-guard --print-config
