import { expect, test } from 'vitest'
import { base64, KEYS, useDatacust, type KnownStore } from './datacust-data.ts'

const datacust = useDatacust()

/** Records of calls to a key store, after the delivery of `count` log lines. */
async function records({ store: { id, uri } }: KnownStore, count: number): Promise<any[]> {
  const { deployment } = datacust().vault.service
  const isOfStore = ({ source, text }: { source: string; text: string }): boolean =>
    source === 'datacust-data' && text.includes(String(id)) && text.includes('"outcome"')
  await expect.poll(() => deployment.logs().filter(isOfStore)).toHaveLength(count)
  await deployment.logsDelivered()
  return datacust().vault.records(`service=datacust-ekm&resource_uri=${encodeURIComponent(uri as string)}`)
}

const REQUEST = { sap_request_id: 'request-1', sap_group_id: 'group-1', sap_user_type: 'SERVICE' }

test('refusals are always on record, successes only when the key store asks for them', async () => {
  const loud = await datacust().store({ enable_success_audit_event: true })
  const quiet = await datacust().store()
  for (const known of [loud, quiet]) {
    const key = await datacust().key(known)
    const request_metadata = { sap_tenant_id: known.store.sap_tenant_id, ...REQUEST }
    const sealed = await datacust().calls(known, key, 'symmetric-encrypt', {
      plaintext: base64('very secret'),
      aad: base64('bound text'),
      request_metadata,
    })
    await datacust().acts(KEYS, key, 'block')
    expect((await datacust().call(known, key, 'symmetric-decrypt', { ...sealed, request_metadata })).status).toBe(403)
    const written = await records(known, 2)
    const shown = written.map(({ message, success, username, details }) => ({ message, success, username, ...details }))
    const common = {
      username: known.store.sap_tenant_id,
      key: key.id,
      keyVersion: key.version_id,
      certificate: known.store.certificate_sha256,
      requestId: 'request-1',
      group: 'group-1',
      userType: 'SERVICE',
    }
    const refusal = { message: 'External key store symmetric-decrypt', success: false, rule: 'key blocked' }
    const { keyVersion: _, ...ofRefusal } = common
    expect(shown).toContainEqual(expect.objectContaining({ ...ofRefusal, ...refusal }))
    const successes = shown.filter(({ success }) => success)
    if (known === quiet) expect(successes).toEqual([])
    else
      expect(successes).toEqual([
        expect.objectContaining({ ...common, message: 'External key store symmetric-encrypt' }),
      ])
    const all =
      JSON.stringify(written) +
      datacust()
        .vault.service.deployment.logs()
        .map(({ text }) => text)
        .join('\n')
    for (const secret of [base64('very secret'), base64('bound text'), sealed.ciphertext, sealed.tag])
      expect(all).not.toContain(secret)
  }
})

test('refusals of callers without the certificate are one record for many', async () => {
  const known = await datacust().store()
  for (let call = 0; call < 3; call++)
    await datacust().send(known, 'get-metadata', {}, (await datacust().store()).certified)
  expect((await records(known, 3)).filter(({ success }) => !success)).toHaveLength(1)
})
