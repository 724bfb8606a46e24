<?php
/**
 * A processor for Forestall in PHP, without any library: copy it and put your provider behind it.
 *
 *     FORESTALL_PROCESSOR_SECRET=... php -S 127.0.0.1:9000 processor.php
 *
 * Replace the `Books` class by calls to your provider. Everything else is the contract of openapi.yaml:
 * the signature check, one execution per Idempotency-Key, and 4xx only where nothing was executed.
 * PROCESSOR_MODE says whether your provider's keys are `test` or `live` ones.
 * With CONFORMANCE=1 it also makes charges for `forestall verify processor`; never set that in
 * production.
 */

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/** Nothing was executed and nothing will be. What follows is the class: see openapi.yaml. */
final class Refused extends Exception
{
    public readonly array $body;

    public function __construct(public readonly int $status, string $code, ?string $class = null)
    {
        parent::__construct($code);
        $this->body = ['code' => $code] + ($class === null ? [] : ['failure_class' => $class]);
    }
}

/** What your provider's words mean for what comes next. A word that is not here is tried again (`retry`). */
const FAILURE_CLASSES = [
    'insufficient_balance' => 'retry',
    'charge_not_found' => 'ours',
    'currency_mismatch' => 'ours',
    'amount_malformed' => 'ours',
    'amount_above_charge' => 'ours',
    'charge_not_captured' => 'final',
    'charge_disputed' => 'final',
    'already_refunded' => 'done',
];

function refusal(int $status, string $word): Refused
{
    return new Refused($status, $word, FAILURE_CLASSES[$word] ?? 'retry');
}

/** Whether Forestall sent this call, lately. Method, path, query and body are all bound. */
function is_signed(string $header, string $method, string $target, string $body): bool
{
    $secret = getenv('FORESTALL_PROCESSOR_SECRET');
    if ($secret === false || $secret === '') {
        throw new RuntimeException('FORESTALL_PROCESSOR_SECRET is not set.');
    }
    if (preg_match('/^t=([1-9][0-9]{0,11}),v1=([0-9a-f]{128})$/D', $header, $match) !== 1) {
        return false;
    }
    if (abs(time() - (int) $match[1]) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = hash_hmac('sha512', "{$match[1]}.{$method} {$target}.{$body}", $secret);
    return hash_equals($expected, $match[2]);
}

/** Charges and refunds in a file, under a lock. Yours are at your provider. */
final class Books
{
    private array $charges;

    /** @param resource $file */
    private function __construct(private $file)
    {
        $text = stream_get_contents($file);
        $this->charges = $text === '' ? [] : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /** One call at a time: two under one key must not both find it unused. */
    public static function locked(callable $work): array
    {
        $path = getenv('PROCESSOR_BOOKS') ?: sys_get_temp_dir() . '/forestall-processor-books.json';
        $file = fopen($path, 'c+');
        flock($file, LOCK_EX);
        try {
            $books = new self($file);
            $answer = $work($books);
            $books->save();
            return $answer;
        } finally {
            fclose($file);
        }
    }

    private function save(): void
    {
        ftruncate($this->file, 0);
        rewind($this->file);
        fwrite($this->file, json_encode($this->charges, JSON_THROW_ON_ERROR));
    }

    public function add(string $status): array
    {
        $reference = 'ch_' . bin2hex(random_bytes(8));
        $this->charges[$reference] = [
            'reference' => $reference,
            'status' => $status,
            'amount_in_cents' => 1000,
            'currency' => 'USD',
            'disputed' => false,
            'authorised_at' => gmdate('Y-m-d\TH:i:s\Z'),
            'card' => ['brand' => 'visa', 'bin' => '424242', 'last4' => '4242'],
            'acquirer_reference_number' => '7' . random_int(10 ** 17, 10 ** 18 - 1) . random_int(1000, 9999),
            'authorisation_code' => (string) random_int(100000, 999999),
            'order_reference' => null,
            'subscription_reference' => null,
            'refunds' => [],
        ];
        return $this->read($reference);
    }

    public function read(string $reference): array
    {
        $charge = $this->charges[$reference] ?? throw refusal(404, 'charge_not_found');
        $moved = 0;
        foreach ($charge['refunds'] as $refund) {
            $moved += $refund['status'] === 'failed' ? 0 : $refund['amount_in_cents'];
        }
        $left = $charge['status'] === 'captured' ? $charge['amount_in_cents'] - $moved : 0;
        return $charge + ['refundable_in_cents' => $left];
    }

    public function search(array $query): array
    {
        $found = [];
        foreach (array_keys($this->charges) as $reference) {
            $charge = $this->read((string) $reference);
            $shown = $charge + ['card_bin' => $charge['card']['bin'], 'card_last4' => $charge['card']['last4']];
            $at = strtotime($charge['authorised_at']);
            foreach ($query as $name => $value) {
                $fits = match ($name) {
                    'authorised_from' => $at >= strtotime($value),
                    'authorised_to' => $at <= strtotime($value),
                    default => (string) ($shown[$name] ?? '') === $value,
                };
                if (!$fits) {
                    continue 2;
                }
            }
            $found[] = $charge;
        }
        return ['items' => array_slice($found, 0, 100)];
    }

    public function find(string $key): array
    {
        $refunds = array_merge(...array_column(array_values($this->charges), 'refunds'), ...[[]]);
        return array_values(array_filter($refunds, fn (array $refund) => $refund['idempotency_key'] === $key));
    }

    public function refund(string $key, array $order): array
    {
        $before = $this->find($key);
        if ($before !== []) {
            return $before[0];
        }
        $charge = $this->read($order['charge_reference'] ?? '');
        $amount = $order['amount_in_cents'] ?? null;
        $word = $this->wordAgainst($charge, $amount, $order['currency'] ?? '');
        if ($word !== null) {
            throw refusal(422, $word);
        }
        $refund = [
            'reference' => 're_' . bin2hex(random_bytes(8)),
            'idempotency_key' => $key,
            'charge_reference' => $charge['reference'],
            'status' => 'succeeded',
            'failure_code' => null,
            'amount_in_cents' => $amount,
            'currency' => $charge['currency'],
            'created_at' => gmdate('Y-m-d\TH:i:s\Z'),
        ];
        $this->charges[$charge['reference']]['refunds'][] = $refund;
        return $refund;
    }

    /** Why the refund is refused, in the provider's words; null when nothing speaks against it. */
    private function wordAgainst(array $charge, mixed $amount, mixed $currency): ?string
    {
        return match (true) {
            $charge['status'] !== 'captured' => 'charge_not_captured',
            $charge['disputed'] => 'charge_disputed',
            $currency !== $charge['currency'] => 'currency_mismatch',
            !is_int($amount) || $amount < 1 => 'amount_malformed',
            $amount > $charge['amount_in_cents'] => 'amount_above_charge',
            $amount > $charge['refundable_in_cents'] => 'already_refunded',
            default => null,
        };
    }

    public function void(string $reference): array
    {
        $charge = $this->read($reference);
        if (!in_array($charge['status'], ['authorised', 'voided'], true)) {
            throw new Refused(422, 'charge_not_voidable');
        }
        $this->charges[$reference]['status'] = 'voided';
        return $this->read($reference);
    }
}

const CAPABILITIES = [
    'idempotency_ttl_hours' => 24,
    'can_lookup_by_reference' => true,
    'lookup_lag_seconds' => 0,
    'refuses_over_refund' => true,
    'async_refunds' => false,
    'pending_counts' => false,
    'request_lifetime_seconds' => 60,
];

/** `live` where your provider's keys move real money, `test` where they do not; unset is not checked. */
function capabilities(): array
{
    $modes = ['' => null, 'test' => 'test', 'live' => 'live'];
    return CAPABILITIES + ['mode' => $modes[getenv('PROCESSOR_MODE') ?: '']];
}

function route(string $method, string $target, array $body): array
{
    $path = explode('/', trim((string) parse_url($target, PHP_URL_PATH), '/'));
    $parts = array_map('rawurldecode', $path);
    parse_str((string) parse_url($target, PHP_URL_QUERY), $query);
    $call = $method . ' ' . $parts[0] . (count($parts) > 1 ? '/*' : '');
    return Books::locked(fn (Books $books): array => match ($call) {
        'GET capabilities' => capabilities(),
        'GET charges' => $books->search($query),
        'GET charges/*' => $books->read($parts[1]),
        'GET refunds' => ['items' => $books->find($query['idempotency_key'] ?? '')],
        'POST refunds' => $books->refund(idempotency_key(), $body),
        'POST voids' => $books->void($body['charge_reference'] ?? ''),
        'POST conformance/*' => getenv('CONFORMANCE') === '1'
            ? $books->add($body['status'] ?? '')
            : throw new Refused(404, 'not_found'),
        'POST subscriptions/*' => throw new Refused(501, 'not_offered'),
        default => throw new Refused(404, 'not_found'),
    });
}

function idempotency_key(): string
{
    return $_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? throw new Refused(400, 'idempotency_key_missing');
}

function respond(int $status, array $body): void
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body, JSON_THROW_ON_ERROR);
}

$body = (string) file_get_contents('php://input');
$method = $_SERVER['REQUEST_METHOD'];
$target = $_SERVER['REQUEST_URI'];
try {
    if (!is_signed($_SERVER['HTTP_X_SIGNATURE'] ?? '', $method, $target, $body)) {
        respond(401, ['code' => 'signature_refused', 'failure_class' => 'ours']);
    } else {
        $read = $body === '' ? [] : json_decode($body, true, 32);
        if (!is_array($read)) {
            throw new Refused(400, 'malformed_request', 'ours');
        }
        respond(200, route($method, $target, $read));
    }
} catch (Refused $refused) {
    respond($refused->status, $refused->body);
} catch (Throwable $broken) {
    // The provider may have executed it: never a 4xx.
    respond(500, ['code' => 'internal_error']);
    error_log((string) $broken);
}
