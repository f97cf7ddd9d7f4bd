import { beforeAll, describe, expect, test } from 'vitest'
import type { Deployment } from '../../../infra/local/deployment.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder } from '../vault/vault.ts'
import { DISTURBANCES, type Disturbance } from './disturbances.ts'
import type { Found, MidwayRow, Recorded, Refresh, Verb } from './row.ts'

/** Past the longest wait of unfinished work. */
const UNFINISHED_MS = 3 * 3_600_000

const isOk = ({ status }: Answered): boolean => status === 200 || status === 201

/**
 * Tests the verbs of one cloud against everything that can happen between two of their calls. A cloud takes part with
 * one file, `test/functions/<cloud>/midway.long.test.ts`, which calls this with its row.
 *
 * The promises: a request is done once or refused with a reason; each key at the cloud has a record with its true
 * state; no work is left over; keys that the request does not concern are as before.
 */
export function midway(row: MidwayRow): void {
  const vault = useVault()
  let who: Holder
  let bystander: Recorded | undefined
  let runs = 0

  beforeAll(async () => {
    who = vault().admin
    await row.setUp(who)
    const id = await row.make(who, 'bystander')
    await sweep(UNFINISHED_MS)
    bystander = (await row.recorded(who)).find((key) => key.id === id)
  })

  const deployment = (): Deployment => vault().service.deployment
  async function sweep(ms: number): Promise<{ resumed: number }> {
    deployment().clock.advance(ms)
    return (await deployment().fire('sweep-due')) as { resumed: number }
  }

  /** Reads a key again. */
  function tryRefresh(id: string): Promise<Answered> {
    const how = row.refresh(id)
    const { method, path, body }: Refresh = typeof how === 'string' ? { method: 'POST', path: how } : how
    return who.call(method, path, body)
  }
  async function refresh(id: string): Promise<void> {
    const answered = await tryRefresh(id)
    expect(isOk(answered), JSON.stringify(answered.body)).toBe(true)
  }

  /** Compares the run's keys at the cloud with their records. @param theirs keys of others */
  async function expectTruth(run: Run, theirs: readonly string[], told: string): Promise<void> {
    const isOfRun = ({ ref, name }: Found): boolean =>
      (name === run.name || !run.before.has(ref) || ref === bystander?.ref) && !theirs.includes(ref)
    const unread = (await row.recorded(who)).filter((key) => key.unread && isOfRun(key))
    for (const { id } of unread) await refresh(id)
    const shown = (keys: readonly Found[]) =>
      keys
        .filter(isOfRun)
        .map(({ ref, facts }) => ({ ref, ...facts }))
        .sort((a, b) => (a.ref < b.ref ? -1 : 1))
    expect(shown(await row.recorded(who)), told).toEqual(shown(row.there(deployment())))
  }

  /** Checks that the request is done, once. */
  async function expectDone({ name }: Run, { done, origin }: Verb, told: string): Promise<void> {
    const named = row.there(deployment()).filter((key) => key.name === name)
    if (done === undefined) return expect(named, told).toEqual([])
    expect(named.filter(({ live }) => live).length, `${told} leaves ${JSON.stringify(named)}`).toBeLessThanOrEqual(1)
    expect(
      named.map(({ facts }) => facts),
      told,
    ).toContainEqual(expect.objectContaining(done))
    if (origin === undefined) return
    const record = (await row.recorded(who)).find((key) => key.name === name && key.live)
    expect(await row.originOf?.(who, record?.id ?? ''), told).toBe(origin)
  }

  interface Run {
    readonly name: string
    /** refs of earlier keys */
    readonly before: ReadonlySet<string>
    readonly ask: () => Promise<Answered>
  }
  async function begin({ prepare, request }: Verb): Promise<Run> {
    const name = `run-${++runs}`
    const id = (await prepare?.(who, name)) ?? ''
    const { method = 'POST', path, body } = request(name, id)
    const before = new Set([...row.there(deployment()), ...(await row.recorded(who))].map(({ ref }) => ref))
    const ask = () => who.call(method, path, body, method === 'POST' ? { 'idempotency-key': name } : undefined)
    return { name, before, ask }
  }

  /** Runs one disturbance, and checks its result. @returns whether the request made as many calls */
  async function disturbed(verb: Verb, { start, passes }: Disturbance, n: number): Promise<boolean> {
    const run = await begin(verb)
    const ours = () => row.there(deployment()).filter((key) => key.name === run.name || !run.before.has(key.ref))
    const earlier = row.calls(deployment())
    const end = start({ row, deployment: deployment(), n, name: run.name, ours })
    const first = await run.ask()
    const theirs = end()
    if (row.calls(deployment()) - earlier < n) return false
    const told = `call ${n}, ${first.status} ${JSON.stringify(first.body)}`
    expect([200, 201, 400, 404, 409, 422, 429, 502, 503, 504], told).toContain(first.status)
    await sweep(UNFINISHED_MS)
    // We learn of a change after our last call only when the key is read again.
    for (const { id } of isOk(first) ? await recordsOf(run) : []) await tryRefresh(id)
    await expectTruth(run, theirs, told)
    for (const ref of theirs) expect(row.there(deployment()), told).toContainEqual(expect.objectContaining({ ref }))
    if (isOk(first)) {
      if (passes) await expectDone(run, verb, told)
    } else await expectRepeated(verb, run, { passes, theirs, told })
    return true
  }
  async function expectRepeated(
    verb: Verb,
    run: Run,
    { passes, theirs, told }: { readonly passes: boolean; readonly theirs: readonly string[]; readonly told: string },
  ): Promise<void> {
    const last = await run.ask()
    const end = `${told}, then ${last.status} ${JSON.stringify(last.body)}`
    expect(passes ? isOk(last) : last.status !== 500, end).toBe(true)
    await sweep(UNFINISHED_MS)
    await expectTruth(run, theirs, end)
    if (passes) await expectDone(run, { ...verb, ...(verb.doneLater && { done: verb.doneLater }) }, end)
  }
  const recordsOf = async ({ name, before }: Run): Promise<readonly Recorded[]> =>
    (await row.recorded(who)).filter((key) => key.name === name || !before.has(key.ref))
  async function atEach(once: (n: number) => Promise<boolean>): Promise<void> {
    let count = 0
    for (let n = 1; await once(n); n++) count++
    expect(count).toBeGreaterThan(0)
    await sweep(UNFINISHED_MS) // reads changed keys again
    expect(await sweep(UNFINISHED_MS)).toMatchObject({ resumed: 0 })
    await refresh(bystander?.id ?? '')
    expect((await row.recorded(who)).find(({ id }) => id === bystander?.id)).toEqual(bystander)
  }
  describe.each(Object.entries(row.verbs))(`${row.cloud}, %s`, (_name, verb) => {
    test.each(Object.entries(DISTURBANCES).filter(([, { applies }]) => applies(row, verb)))(
      '%s leaves true records, and nothing else suffers',
      (_what, disturbance) => atEach((n) => disturbed(verb, disturbance, n)),
    )
  })
}
