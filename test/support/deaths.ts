import type { FaultProxy } from '../../infra/local/table/fault-proxy.ts'
import type { Deployment } from '../../infra/local/deployment.ts'

/**
 * The point at which a function's process ends: its n-th call to a cloud's keys, or to another `service` of the cloud,
 * or after its n-th committed transaction.
 */
export interface Death {
  readonly of: string
  readonly at: 'cloud' | 'cloud-b' | 'cloud-c' | 'cloud-d' | 'crm' | 'datacust' | 'table'
  readonly service?: string
  readonly n: number
}

/** Calls that are no steps of a request: log-ins, and those of the cloud itself. */
const APART: readonly string[] = ['Login', 'Callout']

/**
 * Ends a function's process after one of its calls has taken effect and before the answer arrives.
 * @returns a function that removes the trap and returns whether the process ended
 */
export function dieAt(deployment: Deployment, proxy: FaultProxy, { of, at, service = 'kms', n }: Death): () => boolean {
  let seen = 0
  let struck = false
  const strike = async (): Promise<void> => {
    if (++seen !== n) return
    struck = true
    await deployment.kill(of)
  }
  const inCloud = { fault: 'observe', service, after: strike } as const
  const remove = {
    table: () =>
      proxy.inject({
        fault: 'internal-error',
        operation: 'TransactWriteItems',
        when: () => {
          void strike()
          return false // the write takes effect; its caller no longer exists
        },
      }),
    cloud: () => deployment.cloudA.inject(inCloud),
    'cloud-b': () => deployment.cloudB.inject({ ...inCloud, service: 'vault' }),
    'cloud-c': () => deployment.cloudC.inject(inCloud),
    'cloud-d': () => deployment.cloudD.inject({ ...inCloud, service: 'keys' }),
    crm: () =>
      deployment.crm.inject({ fault: 'observe', when: ({ operation }) => !APART.includes(operation), after: strike }),
    datacust: () =>
      deployment.datacust.inject({ fault: 'observe', when: ({ operation }) => operation !== 'LogIn', after: strike }),
  }[at]()
  return () => {
    remove()
    return struck
  }
}
