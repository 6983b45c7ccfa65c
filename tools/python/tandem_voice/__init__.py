"""A client of tandem's voice WebSocket, /v1/voice.

    async with connect("http://127.0.0.1:8090", system="You are the voice of the Blue Heron.") as session:
        async for chunk in session.ask("Do you have a table?"):
            await speak(chunk.speech)
"""

from ._chunk import Chunk, Mark
from ._connect import connect
from ._error import VoiceError
from ._reply import Reply
from ._session import Session
from ._tool import Tool

__all__ = ["Chunk", "Mark", "Reply", "Session", "Tool", "VoiceError", "connect"]
