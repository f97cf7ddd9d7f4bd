import { afterAll, beforeAll, expect } from 'vitest'
import type { Deployment, DeploymentOptions } from '../../../infra/local/deployment.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { dieAt, type Death } from '../../support/deaths.ts'
import type { Answered } from '../../support/service.ts'
import { Holder } from '../vault/vault.ts'
import { CONNECTIONS, connectionBody } from './cloud-b.ts'

/** The calls at which a process dies: calls to vaults, or writes of the table. */
export type DiesAt = Extract<Death['at'], 'cloud-b' | 'table'>

/** Result of an interrupted request. */
interface Outcome {
  /** whether the process died at all */
  readonly died: boolean
  /** the answer to the repeated request, or to the only one */
  readonly last: Answered
  /** what happened, for messages of failed tests */
  readonly told: string
}

/** A deployment whose processes can be killed, with a connection to the simulated cloud. */
export interface Deaths {
  readonly deployment: Deployment
  readonly proxy: BehindProxy['proxy']
  readonly admin: Holder
  /**
   * A request during which the process dies at its n-th call, and the recovery: every second time the sweeper runs
   * first, unless it lacks data that only the request has; then the same request is repeated.
   */
  readonly interrupted: (
    ask: () => Promise<Answered>,
    how: { readonly at: DiesAt; readonly n: number; readonly isCarried?: boolean | undefined },
  ) => Promise<Outcome>
  /** Dies at each call in turn. At the end, no work is unfinished. @param once returns whether it died */
  readonly atEvery: (once: (n: number) => Promise<boolean>) => Promise<void>
}

/** Past the lease of the dead process. */
const DEAD_MS = 3 * 60_000
/** Past the longest wait of unfinished work. */
const UNFINISHED_MS = 3 * 3_600_000

export function useDeaths(options: Partial<DeploymentOptions> = {}): () => Deaths {
  let started: BehindProxy | undefined
  let tests: Deaths | undefined
  beforeAll(async () => {
    started = await startBehindProxy(options)
    const { service, proxy } = started
    const { deployment } = service
    const admin = new Holder(service, () => service.logIn())
    await admin.ok('POST', CONNECTIONS, connectionBody(deployment.cloudB, 'main'))
    const sweep = async (ms: number): Promise<unknown> => {
      deployment.clock.advance(ms)
      return deployment.fire('sweep-due')
    }
    tests = {
      deployment,
      proxy,
      admin,
      interrupted: async (ask, { at, n, isCarried = false }) => {
        await admin.token() // a log-in writes to the table too
        const disarm = dieAt(deployment, proxy, { of: 'cloud-b', at, n })
        const first = await ask()
        const died = disarm()
        const isSwept = n % 2 === 0 && !isCarried
        if (died) {
          expect(first.status, `death at ${at} call ${n}`).toBeGreaterThanOrEqual(500)
          if (isSwept) await sweep(DEAD_MS)
          else deployment.clock.advance(DEAD_MS)
        }
        const last = died ? await ask() : first
        const way = isSwept ? 'swept' : 'asked again'
        return { died, last, told: `${way} after death at ${at} call ${n}: ${JSON.stringify(last.body)}` }
      },
      atEvery: async (once) => {
        let deaths = 0
        for (let n = 1; await once(n); n++) deaths++
        expect(deaths).toBeGreaterThan(0)
        expect(await sweep(UNFINISHED_MS)).toMatchObject({ resumed: 0 })
      },
    }
  })
  afterAll(() => started?.stop())
  return () => {
    if (tests === undefined) throw new Error('The deployment starts with the tests')
    return tests
  }
}
