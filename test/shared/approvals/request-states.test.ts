import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  approved,
  begun,
  givenBack,
  refused,
  stateOf,
  used,
  withdrawn,
  type Person,
} from '../../../shared/approvals/request-states.ts'
import type { StoredRequest } from '../../../shared/approvals/store.ts'
import { Refusal } from '../../../shared/base/errors.ts'
import { HOUR_MS } from '../../../shared/base/time.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const at = (minutes: number): Date => new Date(START + minutes * 60_000)
const LASTS_MINUTES = 60

const REQUESTER = 'requester'
const people: readonly Person[] = [REQUESTER, 'a', 'b', 'c', 'stranger', 'machine'].map((id) => ({
  id,
  username: id,
  isUser: id !== 'machine',
  groupIds: id === 'stranger' ? ['others'] : ['approvers'],
}))

const request = (wanted: number): StoredRequest => ({
  ...{ id: '1', uri: 'u', account: 'a', createdAt: at(0).toISOString(), updatedAt: at(0).toISOString() },
  ...{ action: 'DestroyKey', method: 'POST', path: '/', reason: 'r', requester: REQUESTER, requester_id: REQUESTER },
  ...{ digest: 'd', subjects: [], state: 'pending', approvals: [], expires_at: at(LASTS_MINUTES).toISOString() },
  needs: [{ rule: 'r', rule_id: 'r', approvals: wanted, approver_groups: [], group_ids: ['approvers'] }],
})

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('approve', 'approve', 'approve', 'refuse', 'withdraw', 'begin', 'begin', 'end', 'give back'),
    who: fc.constantFrom(...people),
    digest: fc.constantFrom('d', 'd', 'd', 'other'),
    minutes: fc.integer({ min: 0, max: 12 }),
  }),
  { maxLength: 40 },
)

test('in any order of steps, a call is made at most once, and only after enough others approved in time', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 3 }), (taken, wanted) => {
      let now = 0
      let record = request(wanted)
      let isRunning = false
      let made = 0
      const said = new Set<string>()
      const use = (digest: string) => ({ digest, rules: ['r'] })
      const next = ({ what, who, digest }: { what: string; who: Person; digest: string }): StoredRequest => {
        if (what === 'approve') return approved(record, who, at(now))
        if (what === 'refuse') return refused(record, who, at(now))
        if (what === 'withdraw') return withdrawn(record, who, at(now))
        if (what === 'begin') return begun(record, use(digest), [], at(now))
        if (!isRunning) return record
        return what === 'end' ? used(record, { status: 200 }, at(now)) : givenBack(record)
      }
      for (const step of taken) {
        now += step.minutes
        const before = record
        try {
          record = next(step)
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
          continue
        }
        if (step.what === 'approve') {
          expect([REQUESTER, 'stranger', 'machine']).not.toContain(step.who.id)
          expect(now).toBeLessThan(LASTS_MINUTES)
          said.add(step.who.id)
        }
        if (step.what === 'begin') {
          expect(step.digest).toBe('d')
          expect(said.size).toBeGreaterThanOrEqual(wanted)
          if (before.state === 'approved') expect(now).toBeLessThan(LASTS_MINUTES)
          else expect(Date.parse(before.leaseUntil ?? '')).toBeLessThanOrEqual(at(now).getTime()) // it was interrupted
          isRunning = true
        }
        if (isRunning && step.what === 'end') made += 1
        if (record.state !== 'running') isRunning = false
        if (['refused', 'withdrawn', 'used', 'expired'].includes(stateOf(before, at(now)))) expect(record).toBe(before)
      }
      expect(made).toBeLessThanOrEqual(1)
    }),
    { numRuns: 500 },
  )
})

test('approvals do not meet rules that became stricter', () => {
  const [, a] = people
  const record = approved(request(1), a as Person, at(1))
  const present = {
    id: 'r',
    name: 'r',
    actions: [],
    caller_group_ids: [],
    approver_group_ids: ['approvers'],
    lasts_hours: 1,
  }
  const use = { digest: 'd', rules: ['r'] }
  expect(begun(record, use, [{ ...present, approvals: 1 }], at(2)).state).toBe('running')
  expect(() => begun(record, use, [{ ...present, approvals: 2 }], at(2))).toThrow('The rules have changed')
  expect(() => begun(record, use, [{ ...present, approvals: 1, approver_group_ids: ['x'] }], at(2))).toThrow(Refusal)
  const other = { ...present, id: 'new', approvals: 1 }
  expect(() => begun(record, { digest: 'd', rules: ['r', 'new'] }, [other], at(2))).toThrow('The rules have changed')
})

test('an interrupted call can be resumed for 23 hours', () => {
  const [, a] = people
  const running = begun(approved(request(1), a as Person, at(1)), { digest: 'd', rules: [] }, [], at(59))
  const resume = (ms: number) => begun(running, { digest: 'd', rules: [] }, [], new Date(at(59).getTime() + ms))
  expect(() => resume(30_000)).toThrow('using this approval now')
  expect(resume(2 * HOUR_MS).running_at).toBe(running.running_at)
  expect(() => resume(23 * HOUR_MS)).toThrow('interrupted too long ago')
})
