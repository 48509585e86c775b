"""`python -m spark_lint.knowledge refresh`: for maintainers."""

from spark_lint.refresh.command import main

main()
