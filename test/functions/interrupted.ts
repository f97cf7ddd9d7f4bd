import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultProxy } from '../../infra/local/table/fault-proxy.ts'
import type { Deployment } from '../../infra/local/deployment.ts'
import { startBehindProxy, type BehindProxy } from '../support/behind-proxy.ts'
import { dieAt, type Death } from '../support/deaths.ts'
import type { Answered } from '../support/service.ts'

/** A request and its preparation. */
export interface Interruptible {
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, prepared: string) => { method?: string; path: string; body?: object }
}

/** How a request is interrupted, at the n-th call to a cloud or write of the table, and how it continues. */
export interface Interruption {
  readonly at: Death['at']
  readonly n: number
  readonly way: 'asked again' | 'swept'
}

export interface Interrupting {
  readonly deployment: () => Deployment
  readonly ok: (method: string, path: string, body?: unknown) => Promise<any>
  /** Interrupts a request once, and lets it end. @returns whether the process died, the last status, words for failures */
  readonly interrupted: (
    name: string,
    of: Interruptible,
    interruption: Interruption,
  ) => Promise<{ readonly died: boolean; readonly status: number; readonly told: string }>
  /** Tests of a request that is interrupted at every call. @param once interrupts it once, and checks the outcome */
  readonly atEveryCall: (title: string, once: (interruption: Interruption) => Promise<boolean>, ms?: number) => void
}

interface Setting {
  /** the function whose process dies, which has the name of its cloud */
  readonly cloud: Exclude<Death['at'], 'cloud' | 'table'>
  /** Makes the records that all requests need. */
  readonly prepare: () => Promise<void>
  /** whether keys that are being changed are read again by a sweep of their own */
  readonly settles?: boolean
}

/** A service of its own, of which one function's process can be ended. */
export function useInterrupting({ cloud, prepare, settles = false }: Setting): Interrupting {
  let behind: BehindProxy | undefined
  let token = ''
  const started = (): BehindProxy => {
    if (behind === undefined) throw new Error('The service is there once the tests begin')
    return behind
  }
  const deployment = (): Deployment => started().service.deployment
  const logIn = async (): Promise<void> => {
    token = await started().service.logIn()
  }
  beforeAll(async () => {
    behind = await startBehindProxy()
    await logIn()
    await prepare()
  })
  afterAll(() => behind?.stop())

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> =>
    started().service.call(method, path, { token, body, ...(headers && { headers }) })
  const ok = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answered = await call(method, path, body)
    expect([200, 201], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
    return answered.body
  }
  const unfinished = async (): Promise<number> => {
    deployment().clock.advance(3 * 3_600_000)
    if (settles) await deployment().fire('sweep-due')
    const answer = (await deployment().fire('sweep-due')) as { resumed: number }
    await logIn()
    return answer.resumed
  }
  const recover = async (way: Interruption['way']): Promise<void> => {
    deployment().clock.advance(3 * 60_000) // past the lease of the dead process
    await logIn()
    if (way === 'swept') await deployment().fire('sweep-due')
  }
  return {
    deployment,
    ok,
    interrupted: async (name, { prepare: before, request }, { at, n, way }) => {
      const { method = 'POST', path, body } = request(name, (await before?.(name)) ?? '')
      const proxy: FaultProxy = started().proxy
      const disarm = dieAt(deployment(), proxy, { of: cloud, at, n })
      const ask = () => call(method, path, body, method === 'POST' ? { 'idempotency-key': name } : undefined)
      const first = await ask()
      const died = disarm()
      if (died) {
        expect(first.status, `death at ${at} call ${n}`).toBeGreaterThanOrEqual(500)
        await recover(way)
      }
      const last = died ? await ask() : first
      const told = `${way} after death at ${at} call ${n}: ${JSON.stringify(last.body)}`
      expect([200, 201], told).toContain(last.status)
      return { died, status: last.status, told }
    },
    atEveryCall: (title, once, ms = 240_000) => {
      test.each([cloud, 'table'] as const)(
        `a death at any call to %s ${title}`,
        async (at) => {
          let deaths = 0
          for (let n = 1; await once({ at, n, way: n % 2 === 0 ? 'swept' : 'asked again' }); n++) deaths++
          expect(deaths).toBeGreaterThan(0)
          expect(await unfinished()).toBe(0)
        },
        ms,
      )
    },
  }
}
