import * as http from 'node:http'
import type { Clock } from '../clock.ts'
import { addressOf, close, listen } from '../json-service.ts'
import { ACCOUNT_SEEDS, accountOf } from './accounts.ts'
import type { AccountSeed, SimulatedAccount } from './accounts.ts'
import { backstage } from './backstage.ts'
import type { Backstage } from './backstage.ts'
import { createFaults } from './faults.ts'
import type { CloudFault, SimulatedCall } from './faults.ts'
import { serve } from './front-door.ts'
import type { House } from './front-door.ts'
import { createRateLimiter } from './rates.ts'
import type { Rates } from './rates.ts'
import { createRequestLog } from './request-log.ts'
import { seedKeys } from './seeding.ts'
import type { SeedKey } from './seeding.ts'
import { openState } from './state.ts'
import type { Delays } from './state.ts'

export type { SimulatedAccount, SimulatedRole } from './accounts.ts'
export type { KeyChange, SimulatedKeyView } from './backstage.ts'
export type { CloudFault, SimulatedCall } from './faults.ts'
export type { SeedKey } from './seeding.ts'

/** A cloud with several accounts, in the regions of three partitions. All its services are on one port. */
export interface CloudASimulator extends Backstage {
  /** `http://127.0.0.1:<port>`: give it to the client of any of the services. */
  readonly endpoint: string
  readonly accounts: readonly SimulatedAccount[]
  /** @returns takes the rule away again */
  readonly inject: (rule: CloudFault) => () => void
  /** Requests, oldest first, refused ones included; the last 10,000. */
  readonly calls: () => readonly SimulatedCall[]
  /** How often each operation was called since the last reset. */
  readonly counts: () => Readonly<Record<string, number>>
  /** Forgets counts, calls and rules; keys stay, and so do rates and delays. */
  readonly reset: () => void
  /** Keys without requests, 100,000 in about a second. @returns their ids, the same for the same place and number */
  readonly seed: (options: {
    account: string
    region: string
    count: number
    describe?: (n: number) => SeedKey
  }) => readonly string[]
  /** Calls per second by operation, for each account and region. Off at first. */
  readonly setRates: (rates: 'off' | 'real' | Rates) => void
  /** How many reads it takes until a change is seen. New keys are seen at once at first. */
  readonly setDelays: (delays: Partial<Delays>) => void
  readonly stop: () => Promise<void>
}

/**
 * Starts the simulated cloud on loopback.
 * @param options.file where all keys are written down, with their material; only in memory without
 * @param options.port any free one without
 */
export async function startCloudA(options: {
  clock: Clock
  file?: string
  port?: number
  accounts?: readonly AccountSeed[]
}): Promise<CloudASimulator> {
  const accounts = (options.accounts ?? ACCOUNT_SEEDS).map(accountOf)
  const state = openState(options)
  const rates = createRateLimiter(state.now)
  const house: House = {
    state,
    accounts: new Map(accounts.map((account) => [account.id, account])),
    faults: createFaults(),
    rates,
    log: createRequestLog(),
  }
  const server = http.createServer((request, response) => {
    serve(house, request, response).catch(() => response.destroy()) // the client went away, or sent far too much
  })
  await listen(server, options.port)
  return {
    endpoint: addressOf(server),
    accounts,
    inject: house.faults.inject,
    calls: house.log.calls,
    counts: house.log.counts,
    reset: () => {
      house.faults.clear()
      house.log.clear()
    },
    seed: (seeds) => seedKeys(state, seeds),
    ...backstage(state),
    setRates: rates.set,
    setDelays: state.setDelays,
    stop: async () => {
      await close(server)
      state.close()
    },
  }
}
