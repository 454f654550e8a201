"""How the documentation's site is built: `mkdocs build --strict`."""
