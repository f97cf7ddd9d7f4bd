import { expect, test } from 'vitest'
import { BUILTIN_RULES } from '../../../../shared/audit/alarms/builtin-rules.ts'
import { Evaluation } from '../../../../shared/audit/alarms/evaluation.ts'
import { Windows } from '../../../../shared/audit/alarms/windows.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import type { AuditRecord } from '../../../../shared/http/audit/model.ts'
import { auditRecord } from '../../../../shared/http/audit/record.ts'

const NOW = new Date('2026-01-01T00:00:00Z')

const record = (
  message: string,
  success: boolean,
  after: Record<string, unknown> = {},
  severity: AuditRecord['severity'] = success ? 'info' : 'error',
): AuditRecord =>
  auditRecord(ROOT_DOMAIN_ID, NOW, {
    ...{ severity, service: 'keymgr', message, username: 'admin', clientIP: '', success },
    details: { action: 'test', after },
    principal: { sub: 'admin', groups: [] },
  })

/** Names and counts of the alarms that these records raise. */
function raisedBy(...records: readonly AuditRecord[]): string[] {
  const rules = BUILTIN_RULES.map((rule) => ({
    updatedAt: '',
    subjectOf: () => '',
    endsRow: () => false,
    ...rule,
    holds: (one: AuditRecord) => ({ holds: rule.holds(one) }),
  }))
  const evaluation = new Evaluation(ROOT_DOMAIN_ID, NOW, new Windows([], rules), [])
  for (const one of records) evaluation.take(one, rules)
  return [...evaluation.touched.values()].map(({ alarm: { name, count } }) => `${name}: ${count}`)
}

test.each([
  ['Connection test failed', 'Test Connection', true, { connection_ok: false }],
  ['Key expires', 'Notice Key Expiry', true, {}],
  ['Key destroyed by its cloud', 'Notice Destroyed Key', true, {}],
  ['Key store failed', 'Refresh Key Store', true, { connection_state: 'FAILED' }],
  ['Credential rotation failed', 'Rotate Key Store Credential', false, {}],
  ['Forwarder unreachable', 'Find Forwarder Unreachable', false, {}],
  ['Forwarder unreachable', 'Drop Forwarded Records', false, {}],
  ['Domain key rotation failed', 'Rotate Domain Key', false, {}],
  ['Domain key rotation failed', 'Finish Domain Key Rotation', false, {}],
  ['Audit tree check failed', 'Check Audit Tree', false, {}],
  ['Administrator recovered', 'Recover Administrator', true, {}],
  ['Approval rule overridden', 'Override Approval Rule', true, {}],
])('%s, by %s', (rule, message, success, after) => {
  expect(raisedBy(record(message, success, after))).toEqual([`${rule}: 1`])
})

test.each([
  ['Test Connection', true, { connection_ok: true }],
  ['Test Connection', false, {}],
  ['Refresh Key Store', true, { connection_state: 'CONNECTED' }],
  ['Rotate Key Store Credential', true, {}],
  ['Rotate Domain Key', true, {}],
  ['Check Audit Tree', true, {}],
])('%s, success %s, %j raises no alarm', (message, success, after) => {
  expect(raisedBy(record(message, success, after))).toEqual([])
})

test.each(['Rotate Key Store Credential', 'Rotate Domain Key', 'Retry Domain Key Rotation', 'Test Connection'])(
  'a refused caller of %s raises nothing',
  (message) => {
    const after = { connection_ok: false, connection_state: 'FAILED' }
    expect(raisedBy(record(message, false, after, 'warning'))).toEqual([])
  },
)

test('three synchronizations of the same containers in a row have to fail', () => {
  const ended = (success: boolean, ...containers: readonly string[]) =>
    record('Finish Synchronization', success, { source: 'some', containers })
  const failed = ended(false, 'a')
  expect(raisedBy(failed, failed, ended(false, 'b'))).toEqual([])
  expect(raisedBy(failed, failed, ended(true, 'a'), failed, failed)).toEqual([])
  expect(raisedBy(failed, ended(true, 'b'), failed, failed)).toEqual(['Synchronization failed three times: 3'])
})

test('the rules have names and ids of their own', () => {
  expect(new Set(BUILTIN_RULES.map(({ name }) => name)).size).toBe(BUILTIN_RULES.length)
  expect(new Set(BUILTIN_RULES.map(({ id }) => id)).size).toBe(BUILTIN_RULES.length)
})
