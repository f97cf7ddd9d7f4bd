import { expect } from 'vitest'
import type { CloudBCredentials } from '../../../infra/simulators/cloud-b/simulator.ts'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import type { Answered, CallOptions } from '../../support/service.ts'
import type { Planting } from '../planting.ts'
import { CLOUD_B, CONNECTIONS, SUBSCRIPTION, VAULT } from './cloud-b.ts'

interface PlantingHere extends Planting {
  readonly ask: (method: string, to: string, options?: CallOptions) => Promise<Answered>
  /** a call whose answer returns a new secret to its caller */
  readonly askForSecret: (method: string, to: string, options?: CallOptions) => Promise<any>
  readonly application: CloudBCredentials | undefined
}

/** Sends secrets, a PFX and passwords to a cloud: none of them may remain, even after a refusal. */
export async function plantCloudSecrets({
  ask,
  askForSecret,
  made,
  refused,
  password,
  remember,
  harmless,
  application,
}: PlantingHere): Promise<void> {
  const { tenantId: tenant_id, clientId: client_id, clientSecret: client_secret = '' } = application ?? {}
  remember('the secret of an application', client_secret)
  await made(CONNECTIONS, { name: 'vaults', tenant_id, client_id, client_secret })
  await made(`${CLOUD_B}/add-vaults`, {
    connection: 'vaults',
    subscription_id: SUBSCRIPTION,
    vaults: [{ name: VAULT }],
  })

  const at = `${CLOUD_B}/secrets`
  const withValue = (value: unknown, more: object = {}): CallOptions => ({
    body: { secret_name: 'secret', key_vault: VAULT, cloud_b_param: { value, tags: { of: harmless }, ...more } },
    headers: { 'idempotency-key': crypto.randomUUID() },
  })
  const kept = await ask('POST', at, withValue(password('the value of a secret of a cloud')))
  expect(kept.status, JSON.stringify(kept.body)).toBe(201)
  await refused(422, 'POST', at, withValue(password('a refused value'), { attributes: { nbf: 2, exp: 1 } }))
  await refused(400, 'POST', at, withValue([password('a value of a wrong type')]))
  await refused(400, 'PATCH', `${at}/${kept.body.id}`, { body: { value: password('a value of a change') } })
  remember('the beginning of a backup', 'simulated backup 1')
  await made(`${at}/${kept.body.id}/backups`, { description: harmless })
  expect((await ask('POST', `${at}/${kept.body.id}/soft-delete`)).status).toBe(200)
  await refused(409, 'POST', at, withValue(password('a value that the cloud refuses')))

  const to = `${CLOUD_B}/certificates/import`
  const pfx = (more: object) => ({ body: { cert_name: 'certificate', key_vault: VAULT, pfx: PFX.base64, ...more } })
  remember('a part of a PFX', PFX.base64.slice(1_000, 1_100))
  await refused(422, 'POST', to, pfx({ password: password('a wrong password of the PFX of a certificate') }))
  const authorities = '/v1/ca/local-cas'
  const { id: caid } = await made(authorities, { cn: 'planted' })
  expect((await ask('POST', `${authorities}/${caid}/self-sign`)).status).toBe(200)
  const { csr, key } = await askForSecret('POST', '/v1/ca/csr', { body: { cn: 'planted.example' } })
  remember('a line of the key of a local certificate', key.split('\n')[2])
  const { id } = await made(`${authorities}/${caid}/certs`, { csr, purpose: 'server' })
  const ofAuthority = { pfx: undefined, caid, source_cert_identifier: id, cert_name: 'issued-here' }
  await made(to, pfx({ ...ofAuthority, private_key_pem: key }).body)
  const unknown = password('the key of an unknown certificate')
  await refused(404, 'POST', to, pfx({ ...ofAuthority, caid: 'none', private_key_pem: unknown }))
  await refused(422, 'POST', to, pfx({ ...ofAuthority, private_key_pem: password('a wrong key of a certificate') }))
  const imported = await made(to, pfx({ password: PFX.password }).body)
  const own = `${CLOUD_B}/certificates/${imported.id}`
  await made(`${own}/backups`, {})
  for (const action of ['soft-delete', 'hard-delete']) expect((await ask('POST', `${own}/${action}`)).status).toBe(200)
  expect((await ask('POST', `${own}/restore`, { body: { key_vault: VAULT } })).status).toBe(200)
  for (const shown of [at, `${at}/${kept.body.id}`, `${at}/${kept.body.id}/backups`, own, `${own}/backups`])
    expect((await ask('GET', shown)).status, shown).toBe(200)
}
