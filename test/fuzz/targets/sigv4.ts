import { createSecretKey } from 'node:crypto'
import { isSigned, readClaim } from '../../../shared/serving/sigv4.ts'
import { filled, type Target } from '../target.ts'

const SCOPE = { service: 'kms-xks-proxy', region: 'eu-west-1' }
const NOW = Date.parse('2025-01-02T03:04:05Z')
const STAMP = '20250102T030405Z'
const key = createSecretKey(Buffer.alloc(32, 7))

const authorization = (names: string, signature = '0'.repeat(64)): string =>
  `AWS4-HMAC-SHA256 Credential=VECTORKEYID234567ABCDEFG/20250102/eu-west-1/kms-xks-proxy/aws4_request, ` +
  `SignedHeaders=${names}, Signature=${signature}`

/** The first line is the value of `authorization`, others are headers. */
export const target: Target = {
  parse: (bytes) => {
    const [first = '', ...lines] = bytes.toString('latin1').split('\n')
    const given = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const)
    const headers = { 'x-amz-date': STAMP, host: 'a.test', ...Object.fromEntries(given), authorization: first }
    const claim = readClaim(headers, SCOPE, NOW)
    if (claim !== undefined) isSigned({ method: 'POST', path: '/kms/xks/v1/health', headers, body: '{}' }, claim, key)
  },
  seeds: () => [authorization('host;x-amz-date'), `${authorization('content-type;host;x-amz-date')}\ncontent-type:a/b`],
  shapes: () => ({
    'many signed names': authorization(`host;x-amz-date;${filled('a;').slice(0, 65_000)}`),
    'many different names': authorization(
      `host;x-amz-date;${Array.from({ length: 9_000 }, (_, at) => `h${at}`).join(';')}`,
    ),
    'a long signature': authorization('host;x-amz-date', filled('0').slice(0, 65_000)),
    commas: filled(','),
    'blanks in a value': `${authorization('a;host;x-amz-date')}\na:${filled(' ').slice(0, 65_000)}x`,
    'blanks between words': `${authorization('a;host;x-amz-date')}\na:${filled('x  ').slice(0, 65_000)}`,
    'many credentials': filled('Credential=a/'),
  }),
}
