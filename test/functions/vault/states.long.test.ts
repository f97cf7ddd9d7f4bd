import { expect, test } from 'vitest'
import { DAY, expectRefused, HOUR, pathOf, useVault } from './vault.ts'

const vault = useVault()
const material = '00'.repeat(32)

/** Names of the listed keys in a state. */
const inState = (state: string, like: string): Promise<string[]> =>
  vault().admin.names(`?state=${encodeURIComponent(state)}&name=${encodeURIComponent(like)}`)

test('dates move a key from Pre-Active to Destroyed; GET and lists show it at once, records after the sweep', async () => {
  const { admin, at, advance, sweep, stored, records } = vault()
  const dates = { activationDate: at(DAY), protectStopDate: at(2 * DAY), deactivationDate: at(3 * DAY) }
  const { id, uri } = await admin.create({ name: 'life', ...dates, destroyDate: at(4 * DAY) })
  const moves = async () => {
    const found = await records(`message=Move%20Key%20State&resource_uri=${encodeURIComponent(uri as string)}`)
    return found.map(({ details, success, principal, username }) => {
      expect({ success, username, sub: principal.sub }).toEqual({ success: true, username: '', sub: 'keymgr' })
      return `${details.before.state} > ${details.after.state}`
    })
  }
  expect(await inState('Pre-Active', 'life')).toEqual(['life'])
  await sweep()
  expect((await admin.get('life')).state).toBe('Pre-Active')

  advance(DAY)
  expect(await admin.get('life')).toMatchObject({ state: 'Active', ...dates })
  expect((await stored(id as string)).state).toBe('Pre-Active')
  expect([await inState('Active', 'life'), await inState('Pre-Active', 'life')]).toEqual([['life'], []])
  await sweep()
  expect((await stored(id as string)).state).toBe('Active')
  expect(await inState('Active', 'life')).toEqual(['life'])
  expect(await inState('Pre-Active', 'life')).toEqual([])

  advance(DAY)
  expect((await admin.get('life')).state).toBe('Active') // process only: other tests cover its use as a wrapping key
  await sweep()
  advance(DAY)
  expect((await admin.get('life')).state).toBe('Deactivated')
  await sweep()
  expect(await inState('Deactivated', 'life')).toEqual(['life'])
  expect(await stored(id as string)).toHaveProperty('sealed')

  advance(DAY)
  expect(await admin.get('life')).toMatchObject({ state: 'Destroyed', emptyMaterial: true })
  await sweep()
  await sweep()
  expect(await stored(id as string)).not.toHaveProperty('sealed')
  expect(await inState('Destroyed', 'life')).toEqual(['life'])
  expect(await inState('Pre-Active,Active,Deactivated', 'life')).toEqual([])
  expect(await moves()).toEqual(['Pre-Active > Active', 'Active > Deactivated', 'Deactivated > Destroyed'])
})

test('state filters, totals and pages agree with the records before and after the sweep', async () => {
  const { admin, at, advance, sweep } = vault()
  const kinds = [
    { activationDate: at(HOUR) },
    {},
    { deactivationDate: at(HOUR) },
    { activationDate: at(2 * HOUR) },
    { material, state: 'Deactivated', destroyDate: at(HOUR) },
    { activationDate: at(HOUR), deactivationDate: at(HOUR + 1) },
  ]
  for (const more of [...kinds, ...kinds]) await admin.create({ name: `agree ${Math.random()}`, ...more })
  const agree = async () => {
    const all = (await admin.list('?limit=1000')).resources as { id: string; name: string; state: string }[]
    for (const state of ['Pre-Active', 'Active', 'Deactivated', 'Destroyed']) {
      const wanted = all.filter((key) => key.state === state).map(({ id }) => id)
      for (const order of ['', '&sort=-createdAt']) {
        const ids = order === '' ? wanted : wanted.toReversed()
        for (const size of [1, 3, 1_000])
          for (let skip = 0; skip <= ids.length; skip += size) {
            const { total, resources } = await admin.list(`?state=${state}&skip=${skip}&limit=${size}${order}`)
            expect(resources.map(({ id }: any) => id)).toEqual(ids.slice(skip, skip + size))
            expect(total).toBe(ids.length)
          }
      }
      const named = await admin.list(`?state=${state}&name=agree*&limit=1000`)
      expect(named.total).toBe(all.filter((key) => key.state === state && key.name.startsWith('agree')).length)
    }
    const sorted = (await admin.list('?sort=state&limit=1000')).resources.map(({ state }: any) => state as string)
    expect(sorted).toEqual([...sorted].sort())
    const searched = await admin.call('POST', '/v1/vault/query-keys', { states: ['Deactivated', 'Active'] })
    expect(searched.body.total).toBe(all.filter(({ state }) => ['Deactivated', 'Active'].includes(state)).length)
  }
  await agree()
  advance(HOUR + 1)
  await agree()
  await sweep()
  await agree()
})

test('a late sweep makes all transitions, and a key that ends before its activation never becomes Active', async () => {
  const { admin, at, advance, sweep, stored } = vault()
  const life = { activationDate: at(HOUR), deactivationDate: at(2 * HOUR), destroyDate: at(3 * HOUR) }
  const late = await admin.create({ name: 'late', ...life })
  const unused = await admin.create({ name: 'unused', activationDate: at(2 * HOUR), destroyDate: at(HOUR) })
  advance(DAY)
  for (const { id } of [late, unused]) expect((await admin.get(id as string)).state).toBe('Destroyed')
  await sweep()
  for (const { id } of [late, unused]) {
    expect((await stored(id as string)).state).toBe('Destroyed')
    expect(await stored(id as string)).not.toHaveProperty('sealed')
  }
})

test('undeletable keys survive their destroyDate until the flag is cleared', async () => {
  const { admin, at, advance, sweep, stored } = vault()
  const dates = { deactivationDate: at(HOUR), destroyDate: at(2 * HOUR) }
  const { id } = await admin.create({ name: 'stays', undeletable: true, ...dates })
  advance(DAY)
  await sweep()
  expect((await admin.get('stays')).state).toBe('Deactivated')
  expect(await stored(id as string)).toHaveProperty('sealed')
  await admin.update('stays', { undeletable: false })
  expect((await admin.get('stays')).state).toBe('Destroyed')
  expect(await stored(id as string)).not.toHaveProperty('sealed')
})

test('a Pre-Active key is activated by PATCH, now or later', async () => {
  const { admin, at } = vault()
  await admin.create({ name: 'patched', activationDate: at(DAY) })
  const later = at(HOUR)
  expect(await admin.update('patched', { activationDate: later })).toMatchObject({
    state: 'Pre-Active',
    activationDate: later,
  })
  expect((await admin.update('patched', { activationDate: at(0) })).state).toBe('Active')
  expect(await inState('Active', 'patched')).toEqual(['patched'])
})

const DEACTIVATING = [
  'Unspecified',
  'AffiliationChanged',
  'Superseded',
  'CessationOfOperation',
  'PrivilegeWithdrawn',
] as const

test.each(DEACTIVATING)('revoked as %s, a key is Deactivated', async (reason) => {
  const { admin } = vault()
  const name = `revoked ${reason}`
  await admin.create({ name })
  const revoked = await admin.act(name, 'revoke', { reason, message: 'why not' })
  expect(revoked).toMatchObject({ state: 'Deactivated', revocationReason: reason, revocationMessage: 'why not' })
  expect(revoked.deactivationDate).toBe(revoked.updatedAt)
  expect(revoked).not.toHaveProperty('compromiseDate')
  expect(await inState('Deactivated', name)).toEqual([name])
  expectRefused(await admin.tryAct(name, 'revoke', { reason }), 409, 8)
  await admin.create({ name: `${name} early`, state: 'Pre-Active' })
  expect((await admin.act(`${name} early`, 'revoke', { reason })).state).toBe('Deactivated')
})

test.each(['KeyCompromise', 'CACompromise'] as const)('revoked as %s, a key is Compromised', async (reason) => {
  const { admin } = vault()
  const compromiseOccurrenceDate = '2026-01-01T00:00:00Z'
  for (const state of ['Pre-Active', 'Active', 'Deactivated', 'Compromised']) {
    const name = `${reason} of ${state}`
    await admin.create({ name, material, state })
    const revoked = await admin.act(name, 'revoke', { reason, compromiseOccurrenceDate })
    expect(revoked).toMatchObject({ state: 'Compromised', revocationReason: reason, compromiseOccurrenceDate })
    expect(revoked.compromiseDate).toBe(revoked.updatedAt)
    expect((await admin.act(name, 'export', {})).material).toBe(material)
    expectRefused(await admin.tryAct(name, 'revoke', { reason: 'Unspecified' }), 409, 8)
  }
})

test.each([
  ['no reason', {}, 422, '#/reason'],
  ['an unknown reason', { reason: 'Bored' }, 422, '#/reason'],
  ['another field', { reason: 'Unspecified', state: 'Active' }, 400, '#/state'],
])('revoke and reactivate refuse %s', async (_what, body, status, field) => {
  const { admin } = vault()
  const { id } = await admin.create()
  for (const verb of ['revoke', 'reactivate'])
    expectRefused(await admin.tryAct(id as string, verb, body), status, status === 400 ? 1 : 2, field)
})

test('reactivation makes a Deactivated key Active or process only, or removes the stop', async () => {
  const { admin, at, advance } = vault()
  await admin.create({ name: 'back', deactivationDate: at(HOUR) })
  await admin.create({ name: 'other' })
  const protects = async () => (await admin.tryAct('other', 'export', { wrapKeyName: 'back' })).status
  expectRefused(await admin.tryAct('back', 'reactivate', { reason: 'DeactivatedToActive' }), 409, 8)
  expectRefused(await admin.tryAct('back', 'reactivate', { reason: 'ActiveProtectStopToActive' }), 409, 8)
  advance(HOUR)
  expect((await admin.get('back')).state).toBe('Deactivated')
  const back = await admin.act('back', 'reactivate', { reason: 'DeactivatedToActive', message: 'needed' })
  expect(back.state).toBe('Active')
  expect(back).not.toHaveProperty('deactivationDate')
  expect(await protects()).toBe(200)
  expect(await inState('Active', 'back')).toEqual(['back'])

  await admin.act('back', 'revoke', { reason: 'Superseded' })
  const processing = await admin.act('back', 'reactivate', { reason: 'DeactivatedToActiveProtectStop' })
  expect(processing).toMatchObject({ state: 'Active', protectStopDate: processing.updatedAt })
  expect(processing).not.toHaveProperty('revocationReason')
  expect(await protects()).toBe(409)
  const whole = await admin.act('back', 'reactivate', { reason: 'ActiveProtectStopToActive' })
  expect(whole).not.toHaveProperty('protectStopDate')
  expect(await protects()).toBe(200)

  for (const state of ['Pre-Active', 'Compromised', 'Destroyed']) {
    const { id } = await admin.create({ material, state })
    for (const reason of ['DeactivatedToActive', 'ActiveProtectStopToActive', 'DeactivatedToActiveProtectStop'])
      expectRefused(await admin.tryAct(id as string, 'reactivate', { reason }), 409, 8)
  }
})

test('a key past its rotation period shows that', async () => {
  const { admin, advance } = vault()
  await admin.create({ name: 'old', rotationFrequencyDays: 2 })
  expect((await admin.get('old')).rotationDateReached).toBe(false)
  advance(2 * DAY)
  expect((await admin.get('old')).rotationDateReached).toBe(true)
  expect((await admin.act('old', 'versions', {})).rotationDateReached).toBe(false)
})

test('archive and recover succeed once each', async () => {
  const { admin } = vault()
  for (const state of ['Pre-Active', 'Active', 'Deactivated', 'Compromised']) {
    const { id } = await admin.create({ material, state })
    expectRefused(await admin.tryAct(id as string, 'recover'), 409, 8)
    const archived = await admin.act(id as string, 'archive')
    expect(archived).toMatchObject({ state, archiveDate: archived.updatedAt })
    expectRefused(await admin.tryAct(id as string, 'archive'), 409, 8)
    const recovered = await admin.act(id as string, 'recover')
    expect(recovered.state).toBe(state)
    expect(recovered).not.toHaveProperty('archiveDate')
  }
})

test('destroy wipes a key that is not Active, keeps its record, and requires revocation first', async () => {
  const { admin, stored, at, advance } = vault()
  const { id } = await admin.create({ name: 'doomed', activationDate: at(HOUR) })
  advance(HOUR)
  const refused = await admin.tryAct('doomed', 'destroy')
  expectRefused(refused, 409, 8)
  expect(refused.body.detail).toContain('revoke')
  await admin.act('doomed', 'revoke', { reason: 'Unspecified' })
  const before = await admin.get('doomed')
  const destroyed = await admin.act('doomed', 'destroy')
  expect(destroyed).toEqual({
    ...before,
    state: 'Destroyed',
    emptyMaterial: true,
    destroyDate: destroyed.updatedAt,
    updatedAt: destroyed.updatedAt,
  })
  expect(await stored(id as string)).not.toHaveProperty('sealed')
  expect(await inState('Destroyed', 'doomed')).toEqual(['doomed'])
  await admin.create({ name: 'never used', state: 'Pre-Active' })
  expect((await admin.act('never used', 'destroy')).state).toBe('Destroyed')
})

test('a Compromised key becomes Destroyed Compromised, only by request', async () => {
  const { admin, stored, at, advance, sweep } = vault()
  const { id } = await admin.create({ name: 'leaked', destroyDate: at(HOUR) })
  await admin.act('leaked', 'revoke', { reason: 'KeyCompromise' })
  advance(DAY)
  await sweep()
  expect((await admin.get('leaked')).state).toBe('Compromised')
  expect(await admin.act('leaked', 'destroy')).toMatchObject({ state: 'Destroyed Compromised', emptyMaterial: true })
  expect(await stored(id as string)).not.toHaveProperty('sealed')
  expect(await inState('Destroyed Compromised', 'leaked')).toEqual(['leaked'])
})

test.each(['Destroyed', 'Destroyed Compromised'])('a %s key can only be read and deleted', async (state) => {
  const { admin } = vault()
  const { id } = await admin.create({ name: `end ${state}`, material, state })
  for (const [verb, body] of [
    ['revoke', { reason: 'Unspecified' }],
    ['revoke', { reason: 'KeyCompromise' }],
    ['reactivate', { reason: 'DeactivatedToActive' }],
    ['archive', undefined],
    ['recover', undefined],
    ['destroy', undefined],
    ['export', {}],
    ['versions', {}],
  ] as const)
    expectRefused(await admin.tryAct(id as string, verb, body), 409, 8)
  expectRefused(await admin.call('PATCH', pathOf(id as string), { description: 'no' }), 409, 8)
  expect((await admin.get(id as string)).state).toBe(state)
  await admin.remove(id as string)
  expectRefused(await admin.call('GET', pathOf(id as string)), 404, 5)
})

test('destroying the private half destroys the public one, not the reverse', async () => {
  const { admin, stored } = vault()
  const pair = await admin.create({ name: 'both', algorithm: 'ec', state: 'Pre-Active' })
  const half = pair.links[0].target as string
  await admin.update(half, { undeletable: true })
  expectRefused(await admin.tryAct('both', 'destroy'), 409, 10)
  await admin.update(half, { undeletable: false })
  await admin.act('both', 'destroy')
  for (const id of [pair.id, half]) {
    expect((await admin.get(id as string)).state).toBe('Destroyed')
    expect(await stored(id as string)).not.toHaveProperty('sealed')
  }
  const other = await admin.create({ algorithm: 'ec', state: 'Pre-Active' })
  await admin.act(other.links[0].target as string, 'destroy')
  expect((await admin.get(other.id as string)).state).toBe('Pre-Active')
  await admin.remove('both')
  expectRefused(await admin.call('GET', pathOf('both_public')), 404, 5)
})

test('a pair with a destroyDate is destroyed as a pair', async () => {
  const { admin, at, advance, sweep, stored } = vault()
  const pair = await admin.create({ algorithm: 'ec', state: 'Pre-Active' })
  const half = pair.links[0].target as string
  await admin.update(pair.id as string, { destroyDate: at(HOUR) })
  advance(DAY)
  await sweep()
  for (const id of [pair.id, half]) {
    expect((await admin.get(id as string)).state).toBe('Destroyed')
    expect(await stored(id as string)).not.toHaveProperty('sealed')
  }
})

test('undeletable keys are neither deleted nor destroyed; only Key Admins clear the flag', async () => {
  const { admin, user } = vault()
  const ann = (await user('ann', ['Key Users'])).holder
  const kim = (await user('kim', ['Key Admins'])).holder
  await ann.create({ name: 'hers', state: 'Pre-Active' })
  expect((await ann.update('hers', { undeletable: true })).undeletable).toBe(true)
  for (const holder of [ann, kim, admin]) {
    expectRefused(await holder.call('DELETE', pathOf('hers')), 409, 10)
    expectRefused(await holder.call('DELETE', pathOf('hers', '?version=0')), 409, 10)
    expectRefused(await holder.tryAct('hers', 'destroy'), 409, 10)
  }
  expectRefused(await ann.call('PATCH', pathOf('hers'), { undeletable: false }), 403, 4)
  expect((await kim.update('hers', { undeletable: false })).undeletable).toBe(false)
  await ann.act('hers', 'destroy')
  await ann.remove('hers')
})

test('owners and administrators change states, of one version at a time', async () => {
  const { admin, user } = vault()
  const bob = (await user('bob', ['Key Users'])).holder
  await admin.create({ name: 'guarded', meta: { permissions: { UseKey: ['Key Users'] } } })
  for (const [verb, body] of [
    ['revoke', { reason: 'Unspecified' }],
    ['reactivate', { reason: 'DeactivatedToActive' }],
    ['archive', undefined],
    ['recover', undefined],
    ['destroy', undefined],
  ] as const)
    expectRefused(await bob.tryAct('guarded', verb, body), 403, 4)
  expectRefused(await bob.call('DELETE', pathOf('guarded')), 403, 4)
  await admin.act('guarded', 'versions', {})
  const revoked = await admin.act('guarded', 'revoke', { reason: 'Superseded' }, '?version=0')
  expect(revoked).toMatchObject({ version: 0, state: 'Deactivated' })
  expect(await admin.get('guarded')).toMatchObject({ version: 1, state: 'Active' })
  const { headers } = await admin.call('GET', pathOf('guarded'))
  const stale = { 'if-match': headers.get('etag') ?? '' }
  await admin.update('guarded', { description: 'changed' })
  expectRefused(await admin.call('POST', pathOf('guarded', '/archive'), undefined, stale), 412, 8)
})
