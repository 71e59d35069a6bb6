"""Error texts stored as answers (P11). A closed list, matched at the start of the whole response; part of the parser's
version."""

import re

_ERROR_TEXT = re.compile(
    r"""\s*(?:
        \[\s*(?:api\s+)?error\b[^\]\n]{0,60}\]
      | <error>
      | \#+\s*error\#*
      | failed\s+to\s+(?:obtain|get|fetch|generate|retrieve)\s+(?:an?\s+|the\s+)?(?:answer|response|completion|output)
      | (?:api\s+)?(?:request|call)\s+(?:failed|timed\s+out)
      | api\s+(?:call\s+)?(?:error|failed|failure)
      | an?\s+(?:unexpected\s+|internal\s+|unknown\s+)?error\s+(?:has\s+)?occurr?ed
      | error\s*(?:code|calling|during|while)\b
      | error\s*[:\-]\s*(?:\{|\d{3}\b|http|api|request|connection|timeout|timed|server|rate|model|failed|internal
                          |invalid|unable|context|cuda|out\s+of\s+memory|maximum|no\s+response)
      | http(?:s)?(?:\s+error|\s+status)?\s*:?\s*[45]\d\d\b
      | [45]\d\d\s+(?:bad\s+request|unauthorized|forbidden|not\s+found|too\s+many|internal|bad\s+gateway|service|gateway
                     |client\s+error|server\s+error)
      | (?:internal\s+server\s+error|bad\s+gateway|service\s+unavailable|gateway\s+time-?out|too\s+many\s+requests)\b
      | rate\s*limit(?:ed|\s+(?:exceeded|reached|error))
      | (?:connection|read|request)\s+(?:error|refused|reset|aborted|timed?\s*out)\b
      | traceback\s+\(most\s+recent\s+call\s+last\)
      | (?:[a-z_]{1,40}\.){0,8}[a-z_]{0,40}(?:error|exception)\s*:\s*\S
      | (?:openai|anthropic|google|httpx|requests|aiohttp|urllib3)\.[\w.]*(?:error|exception|timeout)
      | cuda\s+(?:error|out\s+of\s+memory)
      | \{\s*["']error["']\s*:\s*["'{]
      | <!doctype\s+html | <html\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def is_error_text(response: str) -> bool:
    """Whether the response is a message of the machinery around the model, not the model's."""
    return _ERROR_TEXT.match(response.lstrip()[:400]) is not None
