import { AccountClient } from '@aws-sdk/client-account'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { IAMClient } from '@aws-sdk/client-iam'
import { KMSClient } from '@aws-sdk/client-kms'
import { STSClient } from '@aws-sdk/client-sts'
import type { CloudASimulator, SimulatedAccount } from '../../../../infra/simulators/cloud-a/simulator.ts'

/** Ids of the simulator's accounts. */
export const ACCOUNTS = {
  first: '111122223333',
  second: '444455556666',
  third: '777788889999',
  gov: '222233334444',
  cn: '333344445555',
} as const

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

interface Who {
  readonly account?: string
  readonly region?: string
  readonly credentials?: Credentials
}

export function accountOf(simulator: CloudASimulator, id: string): SimulatedAccount {
  const account = simulator.accounts.find((each) => each.id === id)
  if (account === undefined) throw new Error(`There is no account ${id}.`)
  return account
}

/** The official clients, unchanged except for the endpoint. They make one attempt, so that tests see each refusal. */
function settings(simulator: CloudASimulator, { account = ACCOUNTS.first, region = 'us-east-1', credentials }: Who) {
  return {
    endpoint: simulator.endpoint,
    region,
    credentials: credentials ?? accountOf(simulator, account).credentials,
    maxAttempts: 1,
  }
}

export const kmsOf = (simulator: CloudASimulator, who: Who = {}) => new KMSClient(settings(simulator, who))
export const stsOf = (simulator: CloudASimulator, who: Who = {}) => new STSClient(settings(simulator, who))
export const regionsOf = (simulator: CloudASimulator, who: Who = {}) => new AccountClient(settings(simulator, who))
export const iamOf = (simulator: CloudASimulator, who: Who = {}) => new IAMClient(settings(simulator, who))
export const logsOf = (simulator: CloudASimulator, who: Who = {}) => new CloudWatchLogsClient(settings(simulator, who))

/** The name of the refusal, by which clients distinguish refusals; `done` for a success. */
export const outcome = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  )
