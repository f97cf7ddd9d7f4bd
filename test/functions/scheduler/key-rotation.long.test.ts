import { beforeAll, describe, expect, test } from 'vitest'
import { keysOf, OTHER_REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { storesOf } from '../cloud-a/key-stores.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { attachedKey, AT_ONCE, JOBS, rotation, schedulerOf } from './scheduler.ts'

const cloudA = useCloudA(AT_ONCE)
let keys: ReturnType<typeof keysOf>
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  scheduler = schedulerOf(cloudA())
  await cloudA().admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
})

const again = (key: any): Promise<any> => keys.get(key.id as string)
const successorOf = async (key: any): Promise<any> => keys.get((await again(key)).rotated_to as string)

describe('a run of key rotation', () => {
  test('replaces every attached key like a rotation by hand, and the new keys join the configuration', async () => {
    const config = await scheduler.create(rotation('nightly', { cloud_a_param: { retain_alias: true } }))
    const first = await attachedKey(cloudA(), config, 'night-1', { auto_rotate_disable_encrypt: true })
    const second = await attachedKey(cloudA(), config, 'night-2')
    const apart = await keys.upload({ source_key_identifier: 'source', cloud_a_param: { Alias: 'apart' } })
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({
      name: 'nightly',
      job_config_id: config.id,
      operation: 'keymgr_key_rotation',
      cloud_name: 'cloud-a',
      status: 'completed',
      triggered_by: 'manual',
      abort: false,
      total_count: 2,
      success_count: 2,
      skipped_count: 0,
      error_count: 0,
      left_count: 0,
      errors: [],
      job_config_params: config.job_config_params,
    })
    for (const [old, alias, labels] of [
      [first, 'night-1', { auto_rotate_disable_encrypt: true }],
      [second, 'night-2', {}],
    ] as const) {
      const replaced = await again(old)
      const made = await successorOf(old)
      expect(made).toMatchObject({
        rotated_from: old.id,
        rotation_status: 'ACTIVE',
        labels: { job_config_id: config.id, ...labels },
      })
      expect(made.cloud_a_param.Alias).toEqual([alias])
      expect(made.cloud_a_param.ExpirationModel).toBe('KEY_MATERIAL_DOES_NOT_EXPIRE')
      expect(replaced.labels).toBeUndefined()
      expect(replaced.cloud_a_param.Alias).toHaveLength(1) // with a timestamp appended
    }
    expect((await again(apart)).rotated_to).toBeUndefined()
    const { total, resources } = await scheduler.subJobs(job.id as string)
    expect(total).toBe(2)
    const ofFirst = resources.find((one: any) => one.resource_id === first.id)
    expect(ofFirst).toMatchObject({
      job_id: job.id,
      resource_type: 'key',
      resource_name: 'night-1',
      container: 'main',
      status: 'completed',
      result_id: (await successorOf(first)).id,
    })
    expect(await scheduler.get(config.id as string)).toMatchObject({
      last_status: 'completed',
      last_run_at: job.started_at,
    })
    const records = await cloudA().admin.ok('GET', '/v1/audit/records?message=Rotate Key&limit=-1')
    expect(records.resources.map(({ details }: any) => details.action)).toContain('by the job nightly')
  })

  test('skips a key that policies deny to its author, and reports it', async () => {
    const { admin, service } = cloudA()
    const config = await scheduler.create(rotation('denied'))
    const denied = await attachedKey(cloudA(), config, 'denied-1')
    const other = await attachedKey(cloudA(), config, 'denied-2')
    const policy = { name: 'no rotation', effect: 'deny', actions: ['RotateCloudAKey'], resources: [denied.uri] }
    const { id } = await admin.ok('POST', '/v1/admin/policies', policy)
    const to = { policy: id, principalSelector: { groups: ['admin'] } }
    const held = await admin.ok('POST', '/v1/admin/policy-attachments', to)
    service.deployment.clock.advance(5_000)
    expectRefused(await admin.call('POST', `/v1/keymgr/cloud-a/keys/${denied.id}/rotate`, {}), 403, 4)
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'failed', success_count: 1, error_count: 1 })
    expect(job.errors[0]).toContain('Policies do not permit this call.')
    expect((await again(denied)).rotated_to).toBeUndefined()
    expect((await again(other)).rotated_to).toBeDefined()
    await admin.ok('DELETE', `/v1/admin/policy-attachments/${held.id}`)
    service.deployment.clock.advance(5_000)
  })

  test('gives new keys the lifetime of the configuration, and selects keys that expire within its period', async () => {
    const config = await scheduler.create(rotation('expiring', { expiration: '30d', expire_in: '48h' }))
    const body = (days: number, alias: string) => ({
      source_key_identifier: 'source',
      key_expiration: true,
      cloud_a_param: { Alias: alias, ValidTo: cloudA().at(days * DAY) },
    })
    const soon = await keys.upload(body(1, 'soon'))
    const later = await keys.upload(body(3, 'later'))
    for (const { id } of [soon, later])
      await keys.act(id as string, 'enable-rotation-job', { job_config_id: config.id })
    const never = await attachedKey(cloudA(), config, 'never')
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 1 })
    const made = await successorOf(soon)
    const left = Date.parse(made.cloud_a_param.ValidTo as string) - Date.parse(made.rotated_at as string)
    expect(Math.round(left / DAY)).toBe(30)
    expect([(await again(later)).rotated_to, (await again(never)).rotated_to]).toEqual([undefined, undefined])
  })

  test('rotation_after counts from creation, then from the last rotation', async () => {
    const { clock } = cloudA().service.deployment
    const config = await scheduler.create(rotation('aging', { rotation_after: '7d' }))
    const key = await attachedKey(cloudA(), config, 'aging')
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
    clock.advance(7 * DAY)
    expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 1, success_count: 1 })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 0 })
    clock.advance(7 * DAY)
    expect(await scheduler.ran(config.id as string)).toMatchObject({ total_count: 1, success_count: 1 })
    expect((await successorOf(await successorOf(key))).labels.job_config_id).toBe(config.id)
  })

  test('rotates inside the key if the configuration asks for it', async () => {
    const config = await scheduler.create(rotation('inside', { cloud_a_param: { rotate_material: true } }))
    const native = await keys.create({ cloud_a_param: { Alias: 'inside' } })
    await keys.act(native.id as string, 'enable-rotation-job', { job_config_id: config.id })
    const pair = await keys.create({ cloud_a_param: { CustomerMasterKeySpec: 'ECC_NIST_P256' } })
    await keys.act(pair.id as string, 'enable-rotation-job', { job_config_id: config.id })
    expect(await scheduler.ran(config.id as string)).toMatchObject({
      status: 'completed',
      total_count: 1, // the versions of a pair do not rotate individually
      success_count: 1,
    })
    const after = await again(native)
    expect(after.rotated_to).toBeUndefined()
    expect(after.rotated_at).toBeDefined()
    expect(after.labels.job_config_id).toBe(config.id)
  })

  test('replaces expired material with any period', async () => {
    const { clock } = cloudA().service.deployment
    const config = await scheduler.create(rotation('expired', { expire_in: '1h' }))
    const valid_to = cloudA().at(2 * DAY)
    const body = { source_key_identifier: 'source', key_expiration: true }
    const key = await keys.upload({ ...body, cloud_a_param: { Alias: 'expired', ValidTo: valid_to } })
    await keys.act(key.id as string, 'enable-rotation-job', { job_config_id: config.id })
    clock.advance(3 * DAY)
    await keys.act(key.id as string, 'refresh')
    expect((await again(key)).cloud_a_param).toMatchObject({ KeyState: 'PendingImport' })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
    expect((await successorOf(key)).cloud_a_param).toMatchObject({ KeyState: 'Enabled', Alias: ['expired'] })
  })

  test('reports a key that the cloud refuses, and rotates the others', async () => {
    const config = await scheduler.create(rotation('one refused'))
    const [good, bad, better] = [
      await attachedKey(cloudA(), config, 'good'),
      await attachedKey(cloudA(), config, 'bad'),
      await attachedKey(cloudA(), config, 'better'),
    ]
    const { cloud } = cloudA()
    cloud.inject({
      fault: 'quota',
      operation: 'UpdateAlias',
      when: ({ AliasName }) => AliasName === 'alias/bad',
    })
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'failed', total_count: 3, success_count: 2, error_count: 1 })
    expect(job.errors).toEqual([expect.stringMatching(/^bad: /)])
    const failed = await scheduler.subJobs(job.id as string, '?status=failed')
    expect(failed).toMatchObject({ total: 1, resources: [{ resource_id: bad.id, status: 'failed' }] })
    cloud.reset()
    for (const key of [good, better]) expect((await again(key)).rotated_to).toBeDefined()
    const twice = await scheduler.subJobs(job.id as string, '?status=failed,failed')
    expect(twice).toEqual(failed)
    const of = await scheduler.subJobs(job.id as string, `?resource_id=${good.id as string},${good.id as string}`)
    expect(of).toMatchObject({ total: 1, resources: [{ resource_id: good.id, status: 'completed' }] })
  })

  test('rotates keys in several regions in one run, and skips a key that left', async () => {
    const config = await scheduler.create(rotation('regions'))
    const here = await attachedKey(cloudA(), config, 'here')
    const body = { source_key_identifier: 'source', region: OTHER_REGION, cloud_a_param: { Alias: 'there' } }
    const there = await keys.upload(body)
    await keys.act(there.id as string, 'enable-rotation-job', { job_config_id: config.id })
    const gone = await attachedKey(cloudA(), config, 'leaves')
    await keys.act(gone.id as string, 'disable-rotation-job')
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 2 })
    expect([(await again(here)).rotated_to, (await again(there)).rotated_to]).not.toContain(undefined)
    expect((await again(gone)).rotated_to).toBeUndefined()
  })
})

describe('a key in a hardware cluster', () => {
  const where = { kms: 'main', region: OTHER_REGION }
  let store: any
  const make = (Alias: string): Promise<any> =>
    storesOf(cloudA().admin).act(store.id as string, 'create-cloud-a-key', {
      cloud_a_param: { Alias, Description: 'in hardware', Tags: [{ TagKey: 'team', TagValue: 'one' }] },
    })

  beforeAll(async () => {
    const { admin, cloud, account } = cloudA()
    const cluster = cloud.clustersIn(account.id, OTHER_REGION).find(({ state }) => state === 'ACTIVE')
    store = await admin.ok('POST', '/v1/keymgr/cloud-a/custom-key-stores', {
      name: 'modules',
      ...where,
      cloud_a_param: {
        custom_key_store_type: 'CLOUD_A_HSM',
        cloud_hsm_cluster_id: cluster?.id,
        key_store_password: cluster?.kmsuserPassword,
        trust_anchor_certificate: cluster?.trustAnchor,
      },
    })
    await storesOf(admin).move(store.id as string, 'connect')
  })

  test('is succeeded by a key in the same cluster', async () => {
    const old = await make('by-hand')
    const made = await keys.act(old.id as string, 'rotate', {
      retain_alias: true,
      disable_encrypt: true,
      description: 'the next',
    })
    expect(made).toMatchObject({
      rotated_from: old.id,
      rotation_status: 'ACTIVE',
      key_material_origin: 'native',
      custom_key_store_id: store.cloud_a_param.custom_key_store_id,
      cloud_a_param: {
        Origin: 'CLOUD_A_HSM',
        KeyState: 'Enabled',
        Description: 'the next',
        Alias: ['by-hand'],
        Tags: [
          { TagKey: 'keymgr_key_id', TagValue: made.id },
          { TagKey: 'team', TagValue: 'one' },
        ],
      },
    })
    expect(made.local_key_id).toBeUndefined()
    const replaced = await again(old)
    expect(replaced).toMatchObject({ rotated_to: made.id, rotation_status: 'ROTATED' })
    expect(replaced.cloud_a_param.Alias).toEqual([expect.stringMatching(/^by-hand-/)])
    expect(JSON.stringify(replaced.cloud_a_param.Policy)).toContain('keymgrDenyEncryption')
    expect(JSON.stringify(made.cloud_a_param.Policy)).not.toContain('keymgrDenyEncryption')
  })

  test('accepts neither material nor an expiry time', async () => {
    const old = await make('without-material')
    const body = { source_key_id: 'source', key_expiration: true, valid_to: cloudA().at(2 * DAY) }
    const refused = await keys.tryAct(old.id as string, 'rotate', body)
    expectRefused(refused, 422, 2, '#/source_key_id', '#/key_expiration', '#/valid_to')
    expect((await again(old)).rotated_to).toBeUndefined()
  })

  test('keeps its name when the cloud refuses to move it, and the new key waits for its deletion', async () => {
    const old = await make('refused')
    cloudA().cloud.inject({ fault: 'quota', operation: 'UpdateAlias' })
    expect((await keys.tryAct(old.id as string, 'rotate', { disable_encrypt: true })).status).toBe(409)
    cloudA().cloud.reset()
    expect(await again(old)).toMatchObject({ rotation_status: 'FAILED', cloud_a_param: { Alias: ['refused'] } })
    const { resources } = await keys.list('?origin=CLOUD_A_HSM&key_state=PendingDeletion')
    expect(resources).toMatchObject([{ key_material_origin: 'native', region: OTHER_REGION }])
  })

  test('is rotated by a job, without the lifetime of other new keys, and never inside itself', async () => {
    const config = await scheduler.create(rotation('modules', { expiration: '30d' }))
    const inside = await scheduler.create(rotation('modules inside', { cloud_a_param: { rotate_material: true } }))
    const [old, stays] = [await make('by-job'), await make('stays')]
    await keys.act(old.id as string, 'enable-rotation-job', { job_config_id: config.id })
    await keys.act(stays.id as string, 'enable-rotation-job', { job_config_id: inside.id })
    expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
    expect(await scheduler.ran(inside.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
    const { cloud_a_param, labels } = await successorOf(old)
    expect(cloud_a_param).toMatchObject({ Origin: 'CLOUD_A_HSM', Alias: ['by-job'] })
    expect(cloud_a_param.ValidTo).toBeUndefined()
    expect(labels.job_config_id).toBe(config.id)
  })

  test('is not rotated while its store is disconnected, and nothing is left behind', async () => {
    const old = await make('away')
    await storesOf(cloudA().admin).move(store.id as string, 'disconnect')
    const before = cloudA().cloud.keysIn(cloudA().account.id, OTHER_REGION).length
    expectRefused(await keys.tryAct(old.id as string, 'rotate', {}), 409, 8)
    expect(cloudA().cloud.keysIn(cloudA().account.id, OTHER_REGION)).toHaveLength(before)
    expect((await again(old)).rotated_to).toBeUndefined()
  })
})

describe('attaching a key', () => {
  test('is refused for an unknown configuration, or one of another kind, and for duplicates', async () => {
    const key = await keys.upload({ source_key_identifier: 'source', cloud_a_param: { Alias: 'joins' } })
    const id = key.id as string
    const enable = (body: object) => keys.tryAct(id, 'enable-rotation-job', body)
    const absent = { job_config_id: '01900000-0000-7000-8000-000000000000' }
    expectRefused(await enable(absent), 404, 5, '#/job_config_id')
    const other = await scheduler.create({
      name: 'of another kind',
      operation: 'keymgr_synchronization',
      run_at: '0 1 * * *',
      keymgr_synchronization_params: { cloud_name: 'cloud-a', synchronize_all: true },
    })
    expectRefused(await enable({ job_config_id: other.id }), 422, 2, '#/job_config_id')
    const config = await scheduler.create(rotation('joined', {}, { disabled: true }))
    const both = {
      job_config_id: config.id,
      auto_rotate_disable_encrypt: true,
      auto_rotate_disable_encrypt_on_all_accounts: true,
    }
    expectRefused(await enable(both), 422, 2, '#/auto_rotate_disable_encrypt_on_all_accounts')
    expectRefused(await enable({ job_config_id: config.id, auto_rotate_key_source: 'hsm' }), 422, 2)
    expectRefused(await enable({ ...both, days: 1 }), 400, 1, '#/days')
    expectRefused(await keys.tryAct(id, 'disable-rotation-job'), 409, 8)
  })

  test('prevents deletion of the configuration, until the key leaves or is replaced by hand', async () => {
    const config = await scheduler.create(rotation('kept'))
    const key = await attachedKey(cloudA(), config, 'kept')
    const listed = await keys.list(`?job_config_id=${config.id as string}`)
    expect(listed.resources.map(({ id }: any) => id)).toEqual([key.id])
    expect((await keys.list('?rotation_job_enabled=true&limit=-1')).resources.map(({ id }: any) => id)).toContain(
      key.id,
    )
    expectRefused(await scheduler.remove(config.id as string), 409, 9)
    const made = await keys.act(key.id as string, 'rotate', {})
    expectRefused(await scheduler.remove(config.id as string), 409, 9)
    await keys.act(made.id as string, 'disable-rotation-job')
    expect((await scheduler.remove(config.id as string)).body).toEqual({ status: 204 })
    expectRefused(await cloudA().admin.call('GET', `/v1/scheduler/job-configs/${config.id as string}`), 404, 5)
  })
})

test('the records of a run go with it, once it is over', async () => {
  const config = await scheduler.create(rotation('forgotten'))
  await attachedKey(cloudA(), config, 'forgotten')
  const job = await scheduler.ran(config.id as string)
  expect((await cloudA().admin.call('DELETE', `${JOBS}/${job.id as string}`)).body).toEqual({ status: 204 })
  expectRefused(await cloudA().admin.call('GET', `${JOBS}/${job.id as string}`), 404, 5)
  expectRefused(await cloudA().admin.call('GET', `${JOBS}/${job.id as string}/sub-jobs`), 404, 5)
})
