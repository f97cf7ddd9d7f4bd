import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { CLOUD_C, connectionBody, CONNECTIONS, PROJECT, RING } from '../cloud-c/cloud-c.ts'
import { DAY, expectRefused, HOUR, pathOf } from '../vault/vault.ts'
import { ask, decide, named, REQUESTS, RULES, tryAsk, use, useApprovals, type TheCall } from './approvals.ts'

const approvals = useApprovals()
const vault = () => approvals().vault
const admin = () => vault().admin
const keeper = () => approvals().keeper
const first = () => approvals().first
const second = () => approvals().second

const BODY = { reason: 'CessationOfOperation' }
const revoking = (key: { id: string }): TheCall => ({ method: 'POST', path: pathOf(key.id, '/revoke'), body: BODY })
const stateOf = async (id: string, who = keeper()): Promise<string> => (await who.ok('GET', `${REQUESTS}/${id}`)).state
const keyState = async ({ id }: any): Promise<string> => (await admin().get(id)).state
const newKey = (): Promise<any> => admin().create({ name: named('key'), algorithm: 'aes' })

let rule: any
beforeAll(async () => {
  rule = await approvals().rule({ actions: ['RevokeKey'], lasts_hours: 1 })
})

/** A request, and the call that it is about. */
async function asked(): Promise<{ key: any; call: TheCall; id: string }> {
  const key = await newKey()
  const call = revoking(key)
  const { id } = await ask(keeper(), call)
  return { key, call, id }
}

async function approved(): Promise<{ key: any; call: TheCall; id: string }> {
  const made = await asked()
  expect((await decide(first(), made.id, 'approve')).status).toBe(200)
  return made
}

describe('a ruled call', () => {
  test('is refused, and the refusal names the header that asks', async () => {
    const key = await newKey()
    const { method, path, body } = revoking(key)
    const refused = await keeper().call(method, path, body)
    expectRefused(refused, 403, 4, 'X-Keymgr-Approval-Reason')
    const sentence = `The rule “${rule.name as string}” asks for 1 approval by members of ${approvals().group}.`
    expect(refused.body.detail).toMatch(/^RevokeKey needs the approval of others\. /)
    expect(refused.body.detail).toContain(sentence)
    expect(refused.body.errors).toEqual([{ parameter: 'X-Keymgr-Approval-Reason', detail: sentence }])
    expect(await keyState(key)).toBe('Active')
  })

  test('is asked for, approved by another, and made once, with its evidence', async () => {
    const { key, call, id } = await asked()
    const shown = await first().ok('GET', `${REQUESTS}/${id}`)
    expect(shown).toMatchObject({
      ...{ action: 'RevokeKey', method: 'POST', state: 'pending', reason: 'no longer used', body: BODY },
      needs: [{ rule: rule.name, approvals: 1, approver_groups: [approvals().group] }],
      changes: [{ action: 'update', resource_uri: key.uri, resource_name: key.name }],
    })
    expectRefused(await use(keeper(), call, id), 409, 8)
    expect((await decide(first(), id, 'approve', { note: 'seen' })).body).toMatchObject({
      state: 'approved',
      approvals: [{ note: 'seen' }],
    })
    expect(await keyState(key)).toBe('Active')
    const answer = await use(keeper(), call, id)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(await keyState(key)).not.toBe('Active')
    const after = await keeper().ok('GET', `${REQUESTS}/${id}`)
    expect(after).toMatchObject({ state: 'used', outcome: { status: 200, resource_uri: key.uri } })
    const [record] = await vault().records(`resource_uri=${encodeURIComponent(key.uri)}&message=Revoke%20Key`)
    expect(record).toMatchObject({
      success: true,
      details: { approval: shown.uri, approved_by: after.approvals[0].by },
    })
    const steps = await vault().records(`resource_uri=${encodeURIComponent(shown.uri)}`)
    expect(steps.map(({ message }) => message)).toEqual(['Create Approval Request', 'Approve Approval Request'])
  })

  test('gives its first answer to a repetition, and changes nothing again', async () => {
    const { key, call, id } = await approved()
    const one = await use(keeper(), call, id)
    const again = await use(keeper(), call, id)
    expect(one.status).toBe(200)
    expect([again.status, again.body]).toEqual([one.status, one.body])
    expect(await vault().records(`resource_uri=${encodeURIComponent(key.uri)}&message=Revoke%20Key`)).toHaveLength(1)
  })

  test('that is a DELETE is refused the second time', async () => {
    const deletion = await approvals().rule({ actions: ['DeleteKeyTemplate'] })
    const at = '/v1/vault/templates'
    const template = await admin().ok('POST', at, { name: named('template'), algorithm: 'aes' })
    const call = { method: 'DELETE', path: `${at}/${template.id as string}` }
    const { id } = await ask(admin(), call)
    await decide(first(), id, 'approve')
    expect((await use(admin(), call, id)).status).toBe(200)
    expectRefused(await use(admin(), call, id), 409, 8)
    const rid = (await ask(admin(), { method: 'DELETE', path: `${RULES}/${deletion.id as string}` })).id
    await decide(second(), rid, 'approve')
    expect((await use(admin(), { method: 'DELETE', path: `${RULES}/${deletion.id as string}` }, rid)).status).toBe(200)
  })

  test('must be the approved one: another body, address or caller is refused', async () => {
    const { key, call, id } = await approved()
    const other = await newKey()
    expectRefused(await use(keeper(), { ...call, body: { reason: 'KeyCompromise' } }, id), 422, 2)
    expectRefused(await use(keeper(), revoking(other), id), 422, 2)
    expectRefused(await use(first(), call, id), 404, 5)
    expect(await keyState(key)).toBe('Active')
    expect((await use(keeper(), { ...call, body: { ...BODY } }, id)).status).toBe(200)
  })

  test('that is refused without effect keeps its approval', async () => {
    const { key, call, id } = await approved()
    const late = await ask(admin(), call)
    await decide(first(), late.id, 'approve')
    expect((await use(keeper(), call, id)).status).toBe(200)
    expect((await use(admin(), call, late.id)).status).toBeGreaterThanOrEqual(400) // it is revoked already
    expect(await stateOf(late.id, admin())).toBe('approved')
    expect(await stateOf(id)).toBe('used')
    expect(await keyState(key)).not.toBe('Active')
  })

  test('refuses an invalid id and an invalid reason', async () => {
    const { method, path, body } = revoking(await newKey())
    const send = (headers: Record<string, string>) => keeper().call(method, path, body, headers)
    expectRefused(await send({ 'x-keymgr-approval': 'x' }), 400, 1, 'X-Keymgr-Approval')
    expectRefused(await send({ 'x-keymgr-approval-reason': '%E0%A4%A' }), 400, 1, 'X-Keymgr-Approval-Reason')
    expectRefused(await send({ 'x-keymgr-approval-reason': ' ' }), 400, 1, 'X-Keymgr-Approval-Reason')
  })

  test('without a rule needs no approval, and a request for it is refused', async () => {
    const refused = await tryAsk(keeper(), { method: 'POST', path: '/v1/vault/keys2', body: { name: named('free') } })
    expectRefused(refused, 422, 2)
  })
})

describe('a decision', () => {
  test('is never the requester’s own', async () => {
    const call = revoking(await newKey())
    const { id } = await ask(first(), call)
    expectRefused(await decide(first(), id, 'approve'), 403, 4)
    expectRefused(await use(first(), call, id), 409, 8)
    expect((await decide(second(), id, 'approve')).body.state).toBe('approved')
  })

  test('needs a member of the groups; others do not see the request', async () => {
    const { id } = await asked()
    const stranger = (await vault().user(named('stranger'), ['Key Admins'])).holder
    expectRefused(await decide(stranger, id, 'approve'), 404, 5)
    expectRefused(await decide(admin(), id, 'approve'), 403, 4)
    expect((await stranger.ok('GET', `${REQUESTS}?limit=1000`)).resources).toEqual([])
    expect(
      (await second().ok('GET', `${REQUESTS}?state=pending&limit=1000`)).resources.map((one: any) => one.id),
    ).toContain(id)
  })

  test('of another domain affects nothing', async () => {
    const { id } = await asked()
    const { user_id } = await admin().ok('GET', '/v1/auth/self/user')
    const child = await admin().ok('POST', '/v1/domains', { name: named('child'), admins: [user_id] })
    const token = await vault().service.logIn('admin', undefined, { domain: child.name })
    const { status } = await vault().service.call('POST', `${REQUESTS}/${id}/approve`, { token, body: {} })
    expect(status).toBe(404)
  })

  test('is one, when two approve at the same moment', async () => {
    const { id } = await asked()
    const both = await Promise.all([decide(first(), id, 'approve'), decide(second(), id, 'approve')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await first().ok('GET', `${REQUESTS}/${id}`)).approvals).toHaveLength(1)
  })

  test('is a refusal, if one approver approves and another refuses at the same moment', async () => {
    const { call, id } = await asked()
    const [yes, no] = await Promise.all([
      decide(first(), id, 'approve'),
      decide(second(), id, 'refuse', { note: 'no' }),
    ])
    expect([yes.status, no.status]).toContain(200)
    expect(await stateOf(id)).toBe('refused') // an approved request can still be refused
    expectRefused(await use(keeper(), call, id), 409, 8)
  })

  test('ends with the time of the request, and so does the use', async () => {
    const [open, done] = [await asked(), await approved()]
    vault().advance(HOUR)
    expect(await stateOf(open.id)).toBe('expired')
    expectRefused(await decide(first(), open.id, 'approve'), 409, 8)
    expectRefused(await use(keeper(), done.call, done.id), 409, 8)
    await vault().sweep()
    expect(await stateOf(open.id)).toBe('expired')
    vault().advance(91 * DAY)
    await vault().sweep()
    expectRefused(await keeper().call('GET', `${REQUESTS}/${open.id}`), 404, 5)
  })

  test('is withdrawn by the requester only', async () => {
    const { call, id } = await approved()
    expectRefused(await decide(second(), id, 'withdraw'), 403, 4)
    expect((await decide(keeper(), id, 'withdraw')).body.state).toBe('withdrawn')
    expectRefused(await use(keeper(), call, id), 409, 8)
  })
})

test('two uses at the same moment make the call once', async () => {
  const { key, call, id } = await approved()
  const both = await Promise.all([use(keeper(), call, id), use(keeper(), call, id)])
  expect(both.map(({ status }) => status)).toContain(200)
  const made = await vault().records(`resource_uri=${encodeURIComponent(key.uri)}&message=Revoke%20Key&success=true`)
  expect(made).toHaveLength(1)
})

describe('a rule', () => {
  test('is not changed or deleted by one person', async () => {
    const path = `${RULES}/${rule.id as string}`
    expectRefused(await admin().call('PATCH', path, { lasts_hours: 2 }), 403, 4, 'X-Keymgr-Approval-Reason')
    expectRefused(await admin().call('DELETE', path), 403, 4)
    const call = { method: 'PATCH', path, body: { lasts_hours: 1 } }
    const { id } = await ask(admin(), call)
    expectRefused(await decide(admin(), id, 'approve'), 403, 4)
    await decide(second(), id, 'approve')
    expect((await use(admin(), call, id)).status).toBe(200)
  })

  test('that was made stricter needs new approvals', async () => {
    const own = await approvals().rule({ actions: ['ArchiveKey'] })
    const key = await newKey()
    const call = { method: 'POST', path: pathOf(key.id, '/archive'), body: {} }
    const { id } = await ask(keeper(), call)
    await decide(first(), id, 'approve')
    const change = { method: 'PATCH', path: `${RULES}/${own.id as string}`, body: { approvals: 2 } }
    const changed = await ask(admin(), change)
    await decide(first(), changed.id, 'approve')
    expect((await use(admin(), change, changed.id)).status).toBe(200)
    expectRefused(await use(keeper(), call, id), 409, 8)
    const two = await ask(keeper(), call)
    expect((await decide(first(), two.id, 'approve')).body.state).toBe('pending')
    expectRefused(await decide(first(), two.id, 'approve'), 409, 8)
    expect((await decide(second(), two.id, 'approve')).body.state).toBe('approved')
    expect((await use(keeper(), call, two.id)).status).toBe(200)
  })

  test('must have enough approvers, and cover actions that change something', async () => {
    const make = (body: object) =>
      admin().call('POST', RULES, {
        name: named('rule'),
        actions: ['DestroyKey'],
        approver_groups: [approvals().group],
        ...body,
      })
    expectRefused(await make({ approvals: 3 }), 422, 2, '#/approver_groups')
    expectRefused(await make({ approver_groups: [named('none')] }), 422, 2, '#/approver_groups/0')
    expectRefused(await make({ actions: ['ReadKey'] }), 422, 2, '#/actions/0')
    expectRefused(await make({ actions: ['ApproveApprovalRequest'] }), 422, 2, '#/actions/0')
    expectRefused(await make({ actions: ['NoAction'] }), 422, 2, '#/actions/0')
    expectRefused(await keeper().call('GET', RULES), 403, 4)
  })

  test('keeps its groups, however they are deleted', async () => {
    const path = `/v1/usermgmt/groups/${approvals().group}?force=true`
    expectRefused(await admin().call('DELETE', path), 409, 9)
  })

  test('for the members of a group applies to no one else', async () => {
    const own = await approvals().rule({ actions: ['DestroyKey'], caller_groups: ['Key Users'] })
    const user = (await vault().user(named('user'), ['Key Users', 'Key Admins'])).holder
    const key = await newKey()
    const call = { method: 'POST', path: pathOf(key.id, '/destroy'), body: {} }
    expectRefused(await user.call(call.method, call.path, call.body), 403, 4, 'X-Keymgr-Approval-Reason')
    const { status, body } = await keeper().call(call.method, call.path, call.body)
    expect(JSON.stringify(body)).not.toContain(own.name)
    expect(status).not.toBe(403)
  })
})

test('secrets of a call are neither stored nor shown to approvers', async () => {
  await approvals().rule({ actions: ['CreateUser'] })
  const password = `Pa-${randomBytes(9).toString('hex')}X`
  const call = { method: 'POST', path: '/v1/usermgmt/users', body: { username: named('new'), password } }
  const made = await ask(admin(), call)
  expect(made.body).toEqual({ username: call.body.username, password: '(not shown)' })
  expect(JSON.stringify(await vault().stored(made.id, 'approval-request'))).not.toContain(password)
  await decide(first(), made.id, 'approve')
  expect((await use(admin(), call, made.id)).status).toBe(201)
})

test('a dry run of a ruled call needs no approval', async () => {
  const key = await newKey()
  const { status } = await keeper().call('POST', pathOf(key.id, '/revoke?dry_run=true'), BODY)
  expect(status).toBe(200)
})

describe('the operator', () => {
  const remove = (rule: string, domain: string = vault().service.domain.name): Promise<any> =>
    vault().service.deployment.invoke('triggers', { trigger: 'delete-approval-rule', domain, rule })

  test('deletes a rule without enough approvers, which is recorded', async () => {
    const { name, uri, id } = await approvals().rule({ actions: ['CloneKey'] })
    const { id: key } = await newKey()
    const clone = { newKeyName: named('clone') }
    expectRefused(await admin().tryAct(key, 'clone', clone), 403, 4)
    expect(await remove(name)).toEqual({ deleted: name })
    vault().advance(5_000)
    await admin().act(key, 'clone', clone)
    expect((await admin().call('GET', `${RULES}/${id as string}`)).status).toBe(404)
    expect(await vault().records(`resource_uri=${encodeURIComponent(uri)}&message=Override*`)).toMatchObject([
      { severity: 'critical', success: true, username: '', principal: { sub: 'operator' } },
    ])
  })

  test('gets an error that names the missing rule or domain', async () => {
    const { name } = await approvals().rule()
    await expect(remove(name, 'nowhere')).rejects.toThrow(`The domain nowhere has no approval rule ${name}.`)
    await remove(name)
    await expect(remove(name)).rejects.toThrow('has no approval rule')
  })
})

describe('what takes approval as a single call is refused', () => {
  test('within a bulk export', async () => {
    await approvals().rule({ actions: ['ExportKey'] })
    const { id } = await newKey()
    const [member] = await keeper().ok('POST', '/v1/vault/keys-bulk-export', { ids: [id] })
    expect(member.error).toMatchObject({ status: 403, detail: expect.stringContaining('ExportKey') })
  })

  test('within a rotation of an endpoint, which asks for it if it is asked for', async () => {
    await approvals().rule({ actions: ['RotateKey'] })
    const basic = { basic: { clients: ['a@b.test'] } }
    const at = '/v1/keymgr/ekm/endpoints'
    const { id } = await admin().ok('POST', at, { name: named('e'), keyURIHostname: 'ekm.example.test', policy: basic })
    const call = { method: 'POST', path: `${at}/${id as string}/rotate` }
    expectRefused(await admin().call(call.method, call.path), 403, 4, 'X-Keymgr-Approval-Reason')
    const request = await ask(admin(), call)
    await decide(first(), request.id, 'approve')
    const used = await use(admin(), call, request.id)
    expect([200, 201], JSON.stringify(used.body)).toContain(used.status)
  })

  test('within an addition of containers', async () => {
    await admin().ok('POST', CONNECTIONS, connectionBody(vault().service.deployment.cloudC, 'c'))
    await approvals().rule({ actions: ['AddCloudCProject'] })
    const body = { connection: 'c', project_id: PROJECT, key_rings: [{ name: RING }] }
    expectRefused(await admin().call('POST', `${CLOUD_C}/add-key-rings`, body), 403, 4)
  })
})
