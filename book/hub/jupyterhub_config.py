"""A JupyterHub for a class of two hundred: one server, a container for each student.

Make the image in the book's folder, ``jupyter-repo2docker --no-run --image-name chaindyn-class .``, which reads
environment.yml; install jupyterhub, dockerspawner and jupyterhub-idle-culler; choose how students log in; and run
``jupyterhub -f book/hub/jupyterhub_config.py``.
"""

import sys

c = get_config()  # type: ignore[name-defined] # noqa: F821 (JupyterHub provides it)

STUDENTS, TEACHERS = 200, 5
AT_WORK = 1 / 3  # of them compute at the same time
MEMORY_GB = 64  # of the server

c.JupyterHub.spawner_class = "dockerspawner.DockerSpawner"
c.JupyterHub.hub_ip = "0.0.0.0"  # containers reach the hub over Docker's own network
c.JupyterHub.active_server_limit = STUDENTS + TEACHERS
c.JupyterHub.concurrent_spawn_limit = 20  # at nine on Monday all come at once

c.DockerSpawner.image = "chaindyn-class"
c.DockerSpawner.remove = True
c.DockerSpawner.volumes = {"chaindyn-{username}": "/home/jovyan/work"}  # what outlives a container

c.Spawner.default_url = "/lab/tree/chapters"
c.Spawner.cpu_limit = 1
c.Spawner.mem_limit = "1G"  # a notebook with its figures, and a block of a sweep; more is refused
c.Spawner.mem_guarantee = f"{int(1024 * MEMORY_GB / (STUDENTS + TEACHERS) * 0.9)}M"
c.Spawner.environment = {"PYTHON_CPU_COUNT": "1", "OMP_NUM_THREADS": "1"}  # not all that it sees

c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "services": ["culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
