import { expect } from 'vitest'
import type { CloudBCredentials } from '../../../infra/simulators/cloud-b/simulator.ts'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import type { Answered, CallOptions } from '../../support/service.ts'
import type { Planting } from '../planting.ts'
import { CLOUD_B, CONNECTIONS, SUBSCRIPTION, VAULT } from './cloud-b.ts'

interface PlantingHere extends Planting {
  readonly ask: (method: string, to: string, options?: CallOptions) => Promise<Answered>
  readonly application: CloudBCredentials | undefined
}

/** Sends secrets, a PFX and passwords to a cloud: none of them may remain, even after a refusal. */
export async function plantCloudSecrets({
  ask,
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
  const private_key_pem = password('the key of a local certificate')
  await refused(501, 'POST', to, pfx({ pfx: undefined, caid: 'none', source_cert_identifier: 'none', private_key_pem }))
  const imported = await made(to, pfx({ password: PFX.password }).body)
  const own = `${CLOUD_B}/certificates/${imported.id}`
  await made(`${own}/backups`, {})
  for (const action of ['soft-delete', 'hard-delete']) expect((await ask('POST', `${own}/${action}`)).status).toBe(200)
  expect((await ask('POST', `${own}/restore`, { body: { key_vault: VAULT } })).status).toBe(200)
  for (const shown of [at, `${at}/${kept.body.id}`, `${at}/${kept.body.id}/backups`, own, `${own}/backups`])
    expect((await ask('GET', shown)).status, shown).toBe(200)
}
