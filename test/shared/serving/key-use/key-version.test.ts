import { expect, test } from 'vitest'
import type { CommonRecord } from '../../../../shared/serving/access-log.ts'
import { materialOf } from '../../../../shared/serving/key-use/key-version.ts'
import type { StoredLocalKey } from '../../../../shared/vault/keys/store.ts'

test('no protocol gets the material of an xts key, though no endpoint should have one', () => {
  const fields = { id: '0'.repeat(64), version: 0, sealed: 'sealed', objectType: 'Symmetric Key', xts: true }
  const now = { monoMs: 0, epochMs: 0, untilMs: 1_000 }
  expect(() => materialOf('domain', fields as StoredLocalKey, { now, record: {} })).toThrow(/xts/)
})

test('a use of a canary key marks the line of its call, which becomes an audit record', () => {
  const now = { monoMs: 0, epochMs: 0, untilMs: 1_000 }
  const record: CommonRecord = {}
  const fields = { id: '0'.repeat(64), version: 0, uri: 'keymgr:domain:vault:keys:canary-v0', canary: true }
  expect(() => materialOf('domain', fields as StoredLocalKey, { now, record })).toThrow(/no material/)
  expect(record).toEqual({ canary: fields.uri, audit: true })
})
