import { expect, test } from 'vitest'
import { childAdmin } from '../../../support/callers.ts'
import { CLOUD_B, refused } from '../cloud-b.ts'
import { IN, keyBody, KEYS, keysOf, vaultsBody } from '../keys.ts'
import { tests, keys, NOTHING } from './set-up.ts'

test('the key of a certificate is visible and cannot be changed', async () => {
  const { others, admin } = tests()
  const poller = await others.certificates(IN.premium).beginCreateCertificate('of-certificate', {
    issuerName: 'Self',
    subject: 'CN=shop.example',
  })
  await poller.pollUntilDone()
  const any = await keys().create('of-certificate-neighbour')
  await admin.ok('POST', `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.premium] })
  await tests().service.deployment.flows.idle()
  expect(any).toBeDefined()
  const [key] = await keys().versions('of-certificate')
  expect(key).toMatchObject({ cloud_b_param: { managed: true } })
  await refused(keys().tryUpdate(key.id, { tags: {} }), 409, 8, [])
  await refused(keys().tryAct(key.id, 'soft-delete'), 409, 8, [])
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE' })
})

test('each action needs its permission, and without a view no key exists', async () => {
  const { admin, user, vaults } = tests()
  const key = await keys().create('guarded')
  const { holder, sub } = await user('keyholder', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_B}/vaults/${vaults.premium.id}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions }],
    })
  const theirs = keysOf(holder)
  await refused(holder.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await refused(theirs.tryCreate('theirs'), 404, 5, ['#/key_vault'])
  expect((await theirs.list()).total).toBe(0)
  await permit('view')
  expect(await theirs.get(key.id)).toMatchObject({ id: key.id })
  expect((await theirs.list(`?key_vault=${IN.spare}`)).total).toBe(0)
  expect((await theirs.list()).resources.every(({ key_vault_id }: any) => key_vault_id === vaults.premium.id)).toBe(
    true,
  )
  expect((await holder.call('GET', `${KEYS}/${key.id}/download-public-key`)).status).toBe(200)
  const rotation = { job_config_id: NOTHING, auto_rotate_key_source: 'native' }
  for (const [action, method, path, body] of [
    ['keycreate', 'POST', '', keyBody('theirs')],
    ['keyupdate', 'PATCH', `/${key.id}`, { tags: { by: 'them' } }],
    ['keyupdate', 'POST', `/${key.id}/enable-rotation-job`, rotation],
    ['keyupdate', 'POST', `/${key.id}/disable-rotation-job`, undefined],
    ['keysynchronize', 'POST', `/${key.id}/refresh`, undefined],
    ['keydelete', 'POST', `/${key.id}/soft-delete`, undefined],
    ['keyrecover', 'POST', `/${key.id}/recover`, undefined],
    ['keydelete', 'POST', `/${key.id}/soft-delete`, undefined],
    ['keypurge', 'POST', `/${key.id}/hard-delete`, undefined],
  ] as const) {
    const isHeld = (await admin.ok('GET', `${CLOUD_B}/vaults/${vaults.premium.id}`)).acls.some(
      ({ user_id, actions }: any) => user_id === sub && actions.includes(action),
    )
    if (isHeld) {
      if (!path.includes('rotation')) await holder.ok(method, `${KEYS}${path}`, body)
      continue
    }
    await refused(holder.call(method, `${KEYS}${path}`, body), 403, 4, [])
    await permit(action)
    expect([200, 201], action).toContain((await holder.call(method, `${KEYS}${path}`, body)).status)
  }
  await refused(theirs.tryUpload('theirs', 'none'), 403, 4, [])
})

test('another domain sees none of it', async () => {
  const { service } = tests()
  const key = await keys().create('of-root')
  const { child } = await childAdmin(service)
  const call = (method: string, path: string, body?: unknown) => service.call(method, path, { token: child, body })
  expect((await call('GET', KEYS)).body.total).toBe(0)
  await refused(call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await refused(call('PATCH', `${KEYS}/${key.id}`, { tags: {} }), 404, 5, [])
  await refused(call('POST', KEYS, keyBody('of-child')), 404, 5, ['#/key_vault'])
})

test('the audit records show the history of a key', async () => {
  const key = await keys().create('audited')
  await keys().update(key.id, { attributes: { enabled: false } })
  for (const action of ['soft-delete', 'recover', 'refresh']) await keys().act(key.id, action)
  await refused(keys().tryAct(key.id, 'hard-delete'), 409, 8, [])
  const records = (await tests().records('service=keymgr')).filter(
    ({ details }: any) => details.resource_name === 'audited',
  )
  expect(records.map(({ message, success }: any) => [message, success])).toEqual([
    ['Create Cloud-b Key', true],
    ['Update Cloud-b Key', true],
    ['Delete Cloud-b Key', true],
    ['Recover Cloud-b Key', true],
    ['Refresh Cloud-b Key', true],
    ['Purge Cloud-b Key', false],
  ])
  expect(records[1].details).toMatchObject({
    before: { version: key.version, attributes: { enabled: true } },
    after: { attributes: { enabled: false } },
  })
  expect(records[2].details).toMatchObject({ before: { status: 'ACTIVE' }, after: { status: 'SOFT-DELETED' } })
})

test('a vault of another subscription may have the same name of a key', async () => {
  const { admin, cloud } = tests()
  const bank = vaultsBody(['bank-premium'], cloud.subscriptions()[1]?.id)
  const { vaults } = await admin.ok('POST', `${CLOUD_B}/add-vaults`, bank)
  const ours = await keys().create('in-both')
  const theirs = await admin.ok('POST', KEYS, { ...keyBody('in-both'), key_vault: vaults[0].id })
  expect(await keys().get(theirs.id)).toMatchObject({ version_count: 1, key_vault: 'bank-premium', is_latest: true })
  expect(await keys().get(ours.id)).toMatchObject({ version_count: 1, is_latest: true })
})

test('removing a vault removes its records, and leaves the cloud unchanged', async () => {
  const { admin, vaults, cloud, sweep } = tests()
  const key = await keys().create('stays-there', {}, 'spare')
  await admin.ok('POST', `${CLOUD_B}/vaults/${vaults.spare.id}/remove-vault`)
  await refused(admin.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await sweep()
  expect((await keys().list('?key_name=stays-there')).total).toBe(0)
  expect(cloud.keyOf(IN.spare, 'stays-there')).toMatchObject({ deleted: false })
  const again = await admin.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([IN.spare]))
  expect(again.vaults).toHaveLength(1)
  expect((await keys().list(`?key_vault=${IN.spare}`)).total).toBe(0)
})
