"""How `rules/knowledge/wheels.toml` is made: a maintainer's command, `python -m spark_lint.knowledge refresh`, which nothing else imports."""
