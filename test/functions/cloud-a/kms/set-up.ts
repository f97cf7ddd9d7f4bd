import { beforeAll, expect } from 'vitest'
import { ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { cloudAKeys, placeOfKeys } from '../../../../shared/clouds/cloud-a/keys/store.ts'
import type { Entity } from '../../../../shared/store/entity.ts'
import { pageOf } from '../../../../shared/store/list.ts'
import { synchronizationJobs } from '../../../../shared/work/synchronize/store.ts'
import { useService, type Answered } from '../../../support/service.ts'
import { accountAt, connectionTo, KMS, useTableOf } from '../accounts.ts'

export const service = useService()
export let token = ''
/** A connection to each of the simulated accounts, by name. */
export const connections: Record<string, string> = {}

export const OWN = '111122223333'
export const OTHER = '444455556666'
export const OPERATOR = `arn:aws:iam::${OWN}:role/keymgr-operator`
export const VISITOR = `arn:aws:iam::${OTHER}:role/keymgr-visitor`
export const GUARDED = `arn:aws:iam::${OTHER}:role/keymgr-guarded`
export const EXTERNAL_ID = 'guarded-5e1c'
export const NOTHING = '01890000-0000-7000-8000-00000000ffff'

beforeAll(async () => {
  token = await service().logIn()
  for (const [at, name] of ['own', 'other', 'third', 'gov', 'cn'].entries())
    connections[name] = await connectionTo(service(), token, name, accountAt(service(), at))
  useTableOf(service().deployment)
})

export const cloud = () => service().deployment.cloudA
export const now = (): Date => service().deployment.clock.now()

export const ask = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> => service().call(method, path, { token, body, headers })

export const entry = (name: string, more: object = {}) => ({
  name,
  account_id: OWN,
  connection: 'own',
  regions: ['us-east-1', 'eu-west-1'],
  ...more,
})

export async function made(name: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', KMS, entry(name, more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

export async function refused(
  answered: Promise<Answered>,
  status: number,
  code: number,
  pointers: string[],
): Promise<any> {
  const { body, ...rest } = await answered
  expect([rest.status, body.code], JSON.stringify(body)).toEqual([status, code])
  expect((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(pointers)
  return body
}

export const keysIn = (kms: { id: string }, region: string): Promise<string[]> =>
  cloudAKeys.members(ROOT_DOMAIN_ID, placeOfKeys(kms.id, region))

export const countOf = async <T, R>(entity: Entity<T, R>, domain: string, set = 'all'): Promise<number> =>
  (await pageOf(entity, domain, set, { skip: 0, limit: 0 })).total

export const commit = async (stage: (changes: Changes) => void): Promise<void> => {
  const changes = new Changes()
  stage(changes)
  await changes.commit(now())
}

/** Writes a record of a running synchronization of the entry. */
export async function jobOn(kms: { id: string; name: string }, domain = ROOT_DOMAIN_ID): Promise<string> {
  const at = now().toISOString()
  const id = uuid(now())
  await commit((changes) =>
    changes.create(synchronizationJobs, domain, {
      id,
      uri: `keymgr:${domain}:keymgr:synchronization-jobs:${id}`,
      account: `keymgr:keymgr:admin:accounts:${domain}`,
      createdAt: at,
      updatedAt: at,
      cloud_name: 'cloud-a',
      initiator: 'local|somebody',
      synchronize_all: false,
      overall_status: 'in_progress',
      detailed_status: {},
      abort: false,
      added: 0,
      updated: 0,
      gone: 0,
      unread: 0,
      errors: [],
      containers: [kms.name],
      container_ids: [kms.id],
      places: [],
      generation: 0,
      dueAt: new Date(now().getTime() + 86_400_000).toISOString(),
    }),
  )
  return id
}

export async function endJob(id: string): Promise<void> {
  const job = await synchronizationJobs.get(ROOT_DOMAIN_ID, id)
  if (job) await commit((changes) => changes.remove(synchronizationJobs, ROOT_DOMAIN_ID, job))
}

/** Advances the clock until the sweeper finishes the work of requests, and logs in again. */
export async function sweepLater(): Promise<void> {
  service().deployment.clock.advance(180_000)
  await service().deployment.fire('sweep-due')
  token = await service().logIn()
}
