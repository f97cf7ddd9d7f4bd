import { expect, test } from 'vitest'
import { DATACUST, JOBS, KEYS, keysOf, refused, useDatacustCloud } from './datacust.ts'

/** Other people change the cloud while this service works on it. */
const datacust = useDatacustCloud()

const own = () => keysOf(datacust().admin)
const refOf = (key: any): string => key.datacust_param.id as string
const synchronize = async (group: string): Promise<any> => {
  const { admin } = datacust()
  const { id } = await admin.ok('POST', JOBS, { groups: [group] })
  const get = () => admin.ok('GET', `${JOBS}/${id as string}`)
  await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
  return get()
}

test('a key whose versions may not be read does not prevent a synchronization from reading the others', async () => {
  const { cloud, groups } = datacust()
  const [kept, closed] = [await own().create('kept'), await own().create('closed')]
  cloud.alter(refOf(kept), { description: 'theirs', newVersions: 1 })
  cloud.alter(refOf(closed), { description: 'theirs', newVersions: 1 })
  const removeFault = cloud.inject({
    ...{ fault: 'access-denied', operation: 'ListVersions' },
    when: ({ params }) => params.keyId === refOf(closed),
  })
  const job = await synchronize(groups.finance.name as string)
  removeFault()
  expect(await own().get(kept.id as string), JSON.stringify(job)).toMatchObject({
    version_count: 2,
    datacust_param: { description: 'theirs' },
  })
  expect(await own().get(closed.id as string)).toMatchObject({ gone: false, unread: ['key'], version_count: 1 })
  await synchronize(groups.finance.name as string)
  const read = await own().get(closed.id as string)
  expect(read).toMatchObject({ version_count: 2, datacust_param: { description: 'theirs' } })
  expect(read).not.toHaveProperty('unread')
})

test('a key of an unexpected form is an error of the job by name, and does not prevent the others from being read', async () => {
  const { cloud, groups } = datacust()
  const group = groups.analytics.group_id as string
  const recorded = await own().create('odd and recorded', { group: 'analytics' })
  const versions = await own().create('odd versions', { group: 'analytics' })
  const [first = '', odd = '', last = ''] = cloud.seed(group, 3, (n) => ({ name: `odd-${n}` }))
  const unreadable = [odd, refOf(recorded)]
  for (const ref of unreadable) cloud.alter(ref, { description: 'x'.repeat(40_000) })
  cloud.alter(refOf(versions), { description: 'theirs' })
  const removeFault = cloud.inject({
    ...{ fault: 'wrong-answer', operation: 'ListVersions', answer: () => ({ value: [{ version: 'first' }] }) },
    when: ({ params }) => params.keyId === refOf(versions),
  })
  const job = await synchronize('analytics')
  removeFault()
  const told = JSON.stringify(job)
  expect(job, told).toMatchObject({ overall_status: 'completed', unread: 3 })
  for (const ref of [...unreadable, refOf(versions)]) expect(job.errors.join('\n'), told).toContain(ref)
  const { resources } = await own().list('?group=analytics&name=odd-*')
  const found = resources.map((key: any) => [refOf(key), key.gone]).sort()
  expect(found, told).toEqual([first, last].sort().map((ref) => [ref, false]))
  for (const { id } of [recorded, versions])
    expect(await own().get(id as string), told).toMatchObject({ gone: false, unread: ['key'], version_count: 1 })
  for (const ref of [...unreadable, first, last]) cloud.forget(ref)
})

test('a key that is deleted or disabled between two calls is shown as it is', async () => {
  const { admin, cloud } = datacust()
  const gone = await own().create('deleted meanwhile')
  cloud.forget(refOf(gone))
  const answered = await admin.call('PATCH', `${KEYS}/${gone.id as string}`, { description: 'late' })
  expect([answered.status, answered.body.code]).toEqual([404, 16])
  expect(await own().get(gone.id as string)).toMatchObject({ gone: true })

  const disabled = await own().create('disabled meanwhile')
  cloud.alter(refOf(disabled), { enabled: false })
  const edited = await admin.ok('PATCH', `${KEYS}/${disabled.id as string}`, { description: 'late' })
  expect(edited).toMatchObject({ status: 'DISABLED', datacust_param: { description: 'late', enabled: false } })

  const deleted = await own().create('deleted by both')
  cloud.inject({
    ...{ fault: 'observe', operation: 'BackUpKey', times: 1 },
    after: () => cloud.forget(refOf(deleted)),
  })
  expect(await own().act(deleted.id as string, 'delete')).toMatchObject({ status: 'DELETED', gone: true })
})

test('credentials that are revoked midway leave no key without a record', async () => {
  const { admin, cloud, groups } = datacust()
  const source = await admin.create({ name: 'half way', algorithm: 'aes', size: 256 })
  for (const [group, operation] of [
    ['finance', 'UnwrapKey'],
    ['outpost', 'UnwrapKey'],
    ['outpost', 'GetPublicKey'],
  ] as const) {
    const name = `half-way ${group} ${operation}`
    const removeFault = cloud.inject({ fault: 'access-denied', operation })
    const answered = await own().tryUpload(name, source.id as string, { group })
    removeFault()
    expect([502, 503], JSON.stringify(answered.body)).toContain(answered.status)
    datacust().advance(10 * 60_000)
    await datacust().service.deployment.fire('sweep-due')
    const there = cloud.keysIn(groups[group].group_id as string).filter((key) => key.name === name)
    const { resources } = await datacust().admin.ok('GET', `${KEYS}?name=${encodeURIComponent(name)}`)
    const recorded = resources.filter(({ gone }: any) => !gone).map((key: any) => refOf(key))
    expect(
      there.map(({ id }) => id),
      name,
    ).toEqual(recorded)
  }
})

test('a group that the connection no longer sees keeps its keys', async () => {
  const { cloud, groups } = datacust()
  const key = await own().create('unseen', { group: groups.analytics.id })
  cloud.inject({ fault: 'wrong-answer', operation: 'ListGroups', answer: () => ({ value: [] }), times: 1 })
  const job = await synchronize('analytics')
  expect(job.overall_status).toBe('failed')
  expect(Object.values(job.detailed_status).join()).toContain('group')
  expect(await own().get(key.id as string)).toMatchObject({ gone: false })
})

test('two keys of one name are two keys', async () => {
  const { cloud } = datacust()
  const first = await own().create('twice')
  const second = await own().create('twice')
  expect(refOf(second)).not.toBe(refOf(first))
  await own().act(first.id as string, 'delete')
  expect(await own().get(second.id as string)).toMatchObject({ gone: false })
  expect(cloud.keyOf(refOf(second))).toBeDefined()
  await refused(datacust().admin.call('POST', `${DATACUST}/keys/${first.id as string}/delete`), 409, 8, [])
})
