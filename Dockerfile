# Gradtape's page for strangers' programs: an ordinary user, read-only files, no secrets because there are none.
FROM python:3.13-slim

RUN useradd --system --uid 10001 --create-home gradtape
WORKDIR /app

COPY pyproject.toml hatch_build.py README.md LICENSE THIRD_PARTY.md app.py gradtape.py pytest_plugin.py ./
COPY .streamlit .streamlit
COPY assets assets
COPY components components
COPY engine engine
RUN pip install --no-cache-dir --no-compile --editable '.[cluster,plots]' && python -m compileall -q engine components app.py gradtape.py

USER gradtape
ENV GRADTAPE_HOSTED=1
EXPOSE 8501
# Red when no page could be drawn for 5 seconds, whether anybody visits or not.
HEALTHCHECK --interval=10s --timeout=4s --start-period=20s --retries=2 CMD ["python", "-m", "components.server.probe", "8501"]
CMD ["gradtape", "--server.address=0.0.0.0", "--server.port=8501"]
