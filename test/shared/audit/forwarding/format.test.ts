import { expect, test } from 'vitest'
import { auditRecord, type AuditEvent } from '../../../../shared/http/audit/record.ts'
import { cefOf } from '../../../../shared/audit/forwarding/format/cef.ts'
import { leefOf } from '../../../../shared/audit/forwarding/format/leef.ts'
import { DATAGRAM_BYTES, framed, messageOf } from '../../../../shared/audit/forwarding/format/message.ts'
import { syslogHeader } from '../../../../shared/audit/forwarding/format/syslog-header.ts'

const DOMAIN = '00000000-0000-7000-8000-000000000000'
const NOW = new Date('2026-11-23T10:20:30.456Z')
const ID = '019aaf5e-7d48-7000-8000-0123456789ab'

const recordOf = (more: Partial<AuditEvent> = {}) =>
  auditRecord(
    DOMAIN,
    NOW,
    {
      severity: 'warning',
      service: 'vault',
      message: 'Create Key',
      username: 'ann',
      clientIP: '192.0.2.1',
      success: false,
      errorMessage: 'The key "one" is taken.',
      details: { action: 'CreateKey' },
      principal: { sub: 'local|1', groups: [] },
      ...more,
    },
    ID,
  )

test('a header has priority, time, host, service and structured data', () => {
  expect(syslogHeader(recordOf(), 'keys.example')).toBe(
    `<108>1 2026-11-23T10:20:30.456Z keys.example keymgr - vault [keymgr@32473 id="${ID}" severity="warning" username="ann" success="false" category="local-keys" domain="${DOMAIN}"]`,
  )
})

test('structured data escapes quote, backslash and closing bracket, and has one line', () => {
  const header = syslogHeader(recordOf({ username: 'a"b\\c]d\ne' }), 'x')
  expect(header).toContain('username="a\\"b\\\\c\\]d e"')
})

test('a header field has no blank, no control character and an end', () => {
  const header = syslogHeader(recordOf({ service: `a b\n${'ü'.repeat(40)}` }), 'a host')
  expect(header.split(' ').slice(2, 6)).toEqual(['a_host', 'keymgr', '-', `a_b_${'_'.repeat(28)}`])
})

test('CEF escapes pipe and backslash in its header, equals sign, backslash and line ends in its extension', () => {
  const cef = cefOf(recordOf({ message: 'Make|It\\So', username: 'a=b\\c|d', errorMessage: 'one\r\ntwo' }))
  expect(cef.startsWith('CEF:0|keymgr|keymgr|1|vault:Make\\|It\\\\So|Make\\|It\\\\So|6|rt=')).toBe(true)
  expect(cef).toContain('suser=a\\=b\\\\c|d src=192.0.2.1 outcome=failure reason=one\\r\\ntwo ')
})

test('CEF names no source that is no address', () => {
  expect(cefOf(recordOf({ clientIP: 'internal' }))).not.toContain(' src=')
})

test('LEEF delimits attributes by tabs, which no value has', () => {
  const [header, ...attributes] = leefOf(recordOf({ message: 'Make|It', username: 'a\tb\nc' })).split('\t')
  expect(header).toBe('LEEF:2.0|keymgr|keymgr|1|vault:Make It|x09|cat=local-keys')
  expect(attributes).toContain('usrName=a\\tb\\nc')
})

test.each(['rfc5424', 'cef', 'leef', 'plain_message'] as const)(
  'no field of a record begins a line in %s',
  (format) => {
    const record = recordOf({ username: 'x\n<14>1 forged', errorMessage: 'y\r\nforged', service: 'z\nforged' })
    for (const transport of ['udp', 'tcp'] as const)
      expect(messageOf(record, { format, transport, hostname: 'h' })).not.toMatch(/[\r\n]/)
  },
)

test('a message in UTF-8 begins with the mark, one in ASCII does not', () => {
  const options = { format: 'rfc5424', transport: 'tcp', hostname: 'h' } as const
  expect(messageOf(recordOf({ username: 'Ünal' }), options)).toContain('"] \u{FEFF}{')
  expect(messageOf(recordOf(), options)).toContain('"] {')
})

test.each([
  ['a long change', { details: { action: 'x', after: { text: 'ü'.repeat(3_000) } } }, true],
  ['a long error', { errorMessage: 'ü'.repeat(3_000) }, false],
])('a datagram with %s has at most 2,048 bytes of whole characters', (_what, more, isWhole) => {
  const message = messageOf(recordOf(more), { format: 'rfc5424', transport: 'udp', hostname: 'h' })
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(DATAGRAM_BYTES)
  expect(message).not.toContain('\u{FFFD}')
  const json = message.slice(message.indexOf('"] ') + 3)
  if (isWhole) expect(JSON.parse(json).details.shortened).toBe(true)
  else expect(Buffer.byteLength(message)).toBeGreaterThanOrEqual(DATAGRAM_BYTES - 1)
  const whole = messageOf(recordOf(more), { format: 'rfc5424', transport: 'tcp', hostname: 'h' })
  expect(Buffer.byteLength(whole)).toBeGreaterThan(DATAGRAM_BYTES)
})

test('on a TLS stream a message starts with its length, on a plain one it ends with its line', () => {
  expect(framed('<1>ü', 'rfc5424').toString()).toBe('5 <1>ü')
  expect(framed('<1>ü', 'plain_message').toString()).toBe('<1>ü\n')
})
