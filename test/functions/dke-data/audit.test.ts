import { beforeAll, expect, test } from 'vitest'
import { ADA, BOB, useDke } from './dke-data.ts'

const dke = useDke()

let endpoint: any
beforeAll(async () => {
  endpoint = await dke().create()
})

/** Records of calls to an endpoint, after the delivery of `count` log lines. */
async function records({ id, uri }: any, count: number): Promise<any[]> {
  await dke().lines(count, { endpoint: id })
  await dke().vault.service.deployment.logsDelivered()
  return dke().vault.records(`service=dke&resource_uri=${encodeURIComponent(uri as string)}`)
}

test('calls leave records with caller, tenant, version and outcome, and no secrets', async () => {
  const { kid, value, bytes } = await dke().protect(endpoint)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  expect((await dke().decrypt(kid, 'AAAA', { upn: BOB })).status).toBe(400)
  const written = await records(endpoint, 3)
  const shown = written.map(({ message, username, success, details }) => ({ message, username, success, ...details }))
  const reader = { version: 0, tid: dke().tenantOf(ADA), resource_uri: endpoint.uri }
  expect(shown).toContainEqual(
    expect.objectContaining({ message: 'DKE endpoint publicKey', success: true, version: 0 }),
  )
  expect(shown).toContainEqual(
    expect.objectContaining({ ...reader, message: 'DKE endpoint decrypt', username: ADA, success: true }),
  )
  expect(shown).toContainEqual(
    expect.objectContaining({ ...reader, message: 'DKE endpoint decrypt', username: BOB, success: false }),
  )
  const text =
    JSON.stringify(written) +
    dke()
      .vault.service.deployment.logs()
      .map((line) => line.text)
      .join('\n')
  for (const secret of [value, bytes.toString('base64')]) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/eyJ[\w-]{10}/) // the first characters of every token
})

test('an endpoint may exclude successes; refusals are always recorded', async () => {
  const quiet = await dke().create({ enable_success_audit_event: false })
  const { kid, value } = await dke().protect(quiet)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  expect((await dke().decrypt(kid, value, { alg: 'RSA1_5' })).status).toBe(400)
  const written = await records(quiet, 3)
  expect(written.filter(({ message }) => message.startsWith('DKE endpoint'))).toMatchObject([{ success: false }])
})

test('refusals without a token are one record for many', async () => {
  const own = await dke().create()
  const { kid, value } = await dke().protect(own)
  for (let call = 0; call < 4; call++) await dke().decrypt(kid, value, { token: null })
  const written = await records(own, 5)
  expect(written.filter(({ success, message }) => !success && message === 'DKE endpoint decrypt')).toHaveLength(1)
})

test('long claims are cut in the record', async () => {
  const own = await dke().create()
  const { kid, value } = await dke().protect(own)
  const email = `${'a'.repeat(2_000)}@shop.example.test`
  expect((await dke().decrypt(kid, value, { claims: { email, oid: 'b'.repeat(2_000) } })).status).toBe(200)
  const written = await records(own, 2)
  const record = written.find(({ message }) => message === 'DKE endpoint decrypt')
  expect(record.username.length).toBeLessThan(400)
  expect(record.details.oid.length).toBeLessThan(400)
})
