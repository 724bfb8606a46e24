"""A processor for Forestall in Python, standard library only: copy it and put your provider behind it.

    FORESTALL_PROCESSOR_SECRET=... PROCESSOR_PORT=9000 python3 processor.py

Replace `Books` by calls to your provider. Everything else is the contract of openapi.yaml: the
signature check, one execution per Idempotency-Key, and 4xx only where nothing was executed.
PROCESSOR_MODE says whether your provider's keys are `test` or `live` ones.
With CONFORMANCE=1 it also makes charges for `forestall verify processor`; never set that in production.
"""

import hashlib
import hmac
import json
import os
import re
import threading
import time
import traceback
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

SECRET = os.environ["FORESTALL_PROCESSOR_SECRET"].encode()
CONFORMANCE = os.environ.get("CONFORMANCE") == "1"
# "live" where your provider's keys move real money, "test" where they do not. Unset: not checked.
MODE = {None: None, "test": "test", "live": "live"}[os.environ.get("PROCESSOR_MODE")]
TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 64 * 1024
SIGNATURE = re.compile(r"^t=([1-9][0-9]{0,11}),v1=([0-9a-f]{128})$")


def is_signed(header: str, method: str, target: str, body: bytes) -> bool:
    """Whether Forestall sent this call, lately. Method, path, query and body are all bound."""
    match = SIGNATURE.match(header or "")
    if match is None or abs(time.time() - int(match[1])) > TOLERANCE_SECONDS:
        return False
    signed = f"{match[1]}.{method} {target}.".encode() + body
    expected = hmac.new(SECRET, signed, hashlib.sha512).hexdigest()
    return hmac.compare_digest(expected, match[2])


class Refused(Exception):
    """Nothing was executed and nothing will be. What follows is the class: see openapi.yaml."""

    def __init__(self, status: int, code: str, failure_class: str | None = None):
        super().__init__(code)
        stated = {} if failure_class is None else {"failure_class": failure_class}
        self.status, self.body = status, {"code": code, **stated}


# What your provider's words mean for what comes next. A word that is not here is tried again ("retry").
FAILURE_CLASSES = {
    "insufficient_balance": "retry",
    "charge_not_found": "ours",
    "currency_mismatch": "ours",
    "amount_malformed": "ours",
    "amount_above_charge": "ours",
    "charge_not_captured": "final",
    "charge_disputed": "final",
    "already_refunded": "done",
}


def refusal(status: int, word: str) -> Refused:
    return Refused(status, word, FAILURE_CLASSES.get(word, "retry"))


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Books:
    """Charges and refunds in memory. Yours are at your provider; its idempotency key is `key`."""

    def __init__(self) -> None:
        self.charges: dict[str, dict] = {}
        self.lock = threading.RLock()

    def add(self, status: str) -> dict:
        reference = f"ch_{uuid.uuid4().hex[:16]}"
        self.charges[reference] = {
            "reference": reference,
            "status": status,
            "amount_in_cents": 1000,
            "currency": "USD",
            "disputed": False,
            "authorised_at": now(),
            "card": {"brand": "visa", "bin": "424242", "last4": "4242"},
            "acquirer_reference_number": str(uuid.uuid4().int)[:23],
            "authorisation_code": str(uuid.uuid4().int)[:6],
            "order_reference": None,
            "subscription_reference": None,
            "refunds": [],
        }
        return self.show(self.charges[reference])

    def show(self, charge: dict) -> dict:
        moved = sum(r["amount_in_cents"] for r in charge["refunds"] if r["status"] != "failed")
        left = charge["amount_in_cents"] - moved if charge["status"] == "captured" else 0
        return {**charge, "refundable_in_cents": left}

    def read(self, reference: str) -> dict:
        charge = self.charges.get(reference)
        if charge is None:
            raise refusal(404, "charge_not_found")
        return self.show(charge)

    def search(self, query: dict) -> list[dict]:
        def fits(charge: dict) -> bool:
            shown = {
                **charge,
                "card_bin": charge["card"]["bin"],
                "card_last4": charge["card"]["last4"],
            }
            at = charge["authorised_at"]
            if "authorised_from" in query and at < query["authorised_from"]:
                return False
            if "authorised_to" in query and at > query["authorised_to"]:
                return False
            times = ("authorised_from", "authorised_to")
            return all(str(shown.get(name)) == value for name, value in query.items() if name not in times)

        return [self.show(charge) for charge in self.charges.values() if fits(charge)][:100]

    def find(self, key: str) -> list[dict]:
        refunds = (refund for charge in self.charges.values() for refund in charge["refunds"])
        return [refund for refund in refunds if refund["idempotency_key"] == key]

    def refund(self, key: str, order: dict) -> dict:
        with self.lock:  # two calls under one key must not both find it unused
            before = self.find(key)
            if before:
                return before[0]
            charge = self.read(order["charge_reference"])
            amount = order["amount_in_cents"]
            word = self.word_against(charge, amount, order["currency"])
            if word is not None:
                raise refusal(422, word)
            refund = {
                "reference": f"re_{uuid.uuid4().hex[:16]}",
                "idempotency_key": key,
                "charge_reference": charge["reference"],
                "status": "succeeded",
                "failure_code": None,
                "amount_in_cents": amount,
                "currency": charge["currency"],
                "created_at": now(),
            }
            self.charges[charge["reference"]]["refunds"].append(refund)
            return refund

    def word_against(self, charge: dict, amount: object, currency: object) -> str | None:
        """Why the refund is refused, in the provider's words; None when nothing speaks against it."""
        if charge["status"] != "captured":
            return "charge_not_captured"
        if charge["disputed"]:
            return "charge_disputed"
        if currency != charge["currency"]:
            return "currency_mismatch"
        if type(amount) is not int or amount < 1:
            return "amount_malformed"
        if amount > charge["amount_in_cents"]:
            return "amount_above_charge"
        return "already_refunded" if amount > charge["refundable_in_cents"] else None

    def void(self, reference: str) -> dict:
        with self.lock:
            charge = self.read(reference)
            if charge["status"] not in ("authorised", "voided"):
                raise Refused(422, "charge_not_voidable")
            self.charges[reference]["status"] = "voided"
            return self.read(reference)


BOOKS = Books()

CAPABILITIES = {
    "idempotency_ttl_hours": 24,
    "can_lookup_by_reference": True,
    "lookup_lag_seconds": 0,
    "refuses_over_refund": True,
    "async_refunds": False,
    "pending_counts": False,
    "request_lifetime_seconds": 60,
    "mode": MODE,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body of an answer are written one after the other: neither waits for the other's receipt.
    disable_nagle_algorithm = True

    def answer(self, status: int, body: dict) -> None:
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def handle_call(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer(413, {"code": "body_too_large", "failure_class": "ours"})
        body = self.rfile.read(length)
        if not is_signed(self.headers.get("X-Signature", ""), self.command, self.path, body):
            return self.answer(401, {"code": "signature_refused", "failure_class": "ours"})
        try:
            read = json.loads(body) if body else {}
        except ValueError:
            return self.answer(400, {"code": "malformed_request", "failure_class": "ours"})
        try:
            self.answer(200, self.route(read))
        except Refused as refused:
            self.answer(refused.status, refused.body)
        except Exception:  # the provider may have executed it: never a 4xx
            traceback.print_exc()
            self.answer(500, {"code": "internal_error"})

    do_GET = do_POST = handle_call

    def route(self, body: dict) -> dict:
        url = urlsplit(self.path)
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        match (self.command, parts):
            case ("GET", ["capabilities"]):
                return CAPABILITIES
            case ("GET", ["charges"]):
                return {"items": BOOKS.search(query)}
            case ("GET", ["charges", reference]):
                return BOOKS.read(reference)
            case ("GET", ["refunds"]):
                return {"items": BOOKS.find(query["idempotency_key"])}
            case ("POST", ["refunds"]):
                return BOOKS.refund(self.key(), body)
            case ("POST", ["voids"]):
                return BOOKS.void(body["charge_reference"])
            case ("POST", ["conformance", "charges"]) if CONFORMANCE:
                return BOOKS.add(body["status"])
            case ("POST", ["subscriptions", _, "cancel"]):
                raise Refused(501, "not_offered")
        raise Refused(404, "not_found")

    def key(self) -> str:
        key = self.headers.get("Idempotency-Key")
        if not key:
            raise Refused(400, "idempotency_key_missing")
        return key

    def log_message(self, *_args: object) -> None:
        """Bodies and paths hold references; log what you need, where you need it."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PROCESSOR_PORT", "9000"))), Handler)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
