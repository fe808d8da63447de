"""What is put around Streamlit's server, and what keeps its process well."""
