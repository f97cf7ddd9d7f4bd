import { expect, test } from 'vitest'
import { KACLS_OWNER } from '../../../shared/endpoints/kacls/store.ts'
import type { Answered } from '../../support/service.ts'
import { ENDPOINTS, ISSUERS } from '../kacls/kacls.ts'
import { expectRefused } from '../vault/vault.ts'
import { useFaultyTable } from './faulty-table.ts'
import { someName, workspaceOf } from './workspace-cse.ts'

const faulty = useFaultyTable()
const admin = () => faulty().kacls.vault.admin
const cse = () => workspaceOf(admin(), faulty().provider)

const settled = (calls: readonly Promise<Answered>[]): Promise<Answered[]> => Promise.all(calls)
const remove = ({ id }: any, list = ISSUERS): Promise<Answered> => admin().call('DELETE', `${list}/${id as string}`)
const conflicts = (seed: number) =>
  faulty().proxy.inject({
    fault: 'transaction-conflict',
    operation: 'TransactWriteItems',
    probability: 0.3,
    seed,
  })

/** Whether a write creates an endpoint. */
const isCreation = (text: string): boolean => text.includes(KACLS_OWNER)

test.each([
  ['deleted while an endpoint is created with it: the endpoint is refused', true],
  ['named by a new endpoint while it is deleted: it stays', false],
])('an issuer is %s', async (_what, isDeletedFirst) => {
  const issuer = await cse().issuer()
  const create = () => cse().tryCreate({ issuer: [issuer.id] })
  const [slow, quick] = isDeletedFirst ? [create, () => remove(issuer)] : [() => remove(issuer), create]
  const meanwhile: Promise<Answered>[] = []
  let isOver = false
  faulty().proxy.inject({
    fault: 'transaction-conflict', // the slow request, which has read the issuer, writes after the quick one
    operation: 'TransactWriteItems',
    when: (request) => {
      const text = JSON.stringify(request)
      if (isOver || !text.includes(issuer.id as string) || isCreation(text) !== isDeletedFirst) return false
      if (meanwhile.length === 0) meanwhile.push(quick().finally(() => (isOver = true)))
      return true
    },
  })
  const answered = await slow()
  const [first] = await settled(meanwhile)
  expect([200, 201], JSON.stringify(first?.body)).toContain(first?.status)
  if (isDeletedFirst) expectRefused(answered, 404, 5, '#/issuer/0')
  else expectRefused(answered, 409, 9)
  const there = await admin().call('GET', `${ISSUERS}/${issuer.id as string}`)
  expect(there.status).toBe(isDeletedFirst ? 404 : 200)
})

test('five concurrent creations of a name make one endpoint and one key', async () => {
  const before = await faulty().keys()
  conflicts(1)
  const name = someName('w')
  const answers = await settled(Array.from({ length: 5 }, () => faulty().kacls.tryCreate({ name })))
  faulty().proxy.reset()
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  expect(await faulty().keys()).toBe(before + 1)
  await faulty().expectServes(name, 1)
})

test('an endpoint that is deleted during a rotation of its key does not exist any longer', async () => {
  for (let round = 0; round < 5; round++) {
    const endpoint = await faulty().kacls.create()
    const [rotated, removed] = await settled([
      faulty().kacls.act(endpoint.id as string, 'rotate-key'),
      remove(endpoint, ENDPOINTS),
    ])
    expect([200, 404]).toContain(rotated?.status)
    expect(removed?.status).toBe(200)
    expect(await faulty().named(ENDPOINTS, endpoint.name as string)).toEqual([])
    expect(await faulty().isLedTo(endpoint)).toBe(false)
    expect(await faulty().versionsOf(endpoint.kekName as string)).toHaveLength(rotated?.status === 200 ? 2 : 1)
  }
})

test('each answered rotation of three concurrent ones has a version and a signing key', async () => {
  const endpoint = await faulty().kacls.create()
  conflicts(2)
  const answers = await settled([1, 2, 3].map(() => faulty().kacls.act(endpoint.id as string, 'rotate-key')))
  faulty().proxy.reset()
  const done = answers.filter(({ status }) => status === 200)
  expect(done.length).toBeGreaterThan(0)
  expect(new Set(done.map(({ body: shown }) => shown.kek_version)).size).toBe(done.length)
  await faulty().expectServes(endpoint.name as string, done.length + 1)
})
