import type { Deployment } from '../../../infra/local/deployment.ts'
import type { Found, MidwayRow, Verb } from './row.ts'

/** The request that is disturbed, at its n-th call to the cloud. */
interface Disturbed {
  readonly row: MidwayRow
  readonly deployment: Deployment
  readonly n: number
  readonly name: string
  /** Keys of the run at the cloud, now. */
  readonly ours: () => readonly Found[]
}

export interface Disturbance {
  /** @returns a function that ends the trouble and returns the keys that others created */
  readonly start: (request: Disturbed) => () => readonly string[]
  /** Whether the same request succeeds once the trouble is over. */
  readonly passes: boolean
  readonly applies: (row: MidwayRow, verb: Verb) => boolean
}

/**
 * Other users act after the n-th call has taken effect and before its answer arrives. @param act may return a new key, or
 * functions that end its effect
 */
const otherPeople = (act: (request: Disturbed) => unknown, applies: Disturbance['applies']): Disturbance => ({
  passes: false,
  applies: (row, verb) => verb.refusalsOnly !== true && applies(row, verb),
  start: (request) => {
    const theirs: string[] = []
    const ends: (() => void)[] = []
    const after = async (): Promise<void> => {
      const made = await act(request)
      if (typeof made === 'string') theirs.push(made)
      if (Array.isArray(made)) ends.push(...(made as (() => void)[])) // of `hide`
    }
    ends.push(request.row.inject(request.deployment, { fault: 'observe', calls: [request.n], after }))
    return () => {
      for (const end of ends) end()
      return theirs
    }
  },
})

/** The cloud refuses calls. */
const refusing = (fault: 'access-denied' | 'expired-credentials', calls: (n: number) => number[]): Disturbance => ({
  passes: true,
  applies: (_row, { refusalsOnly }) => refusalsOnly !== true || fault === 'access-denied',
  start: ({ row, deployment, n }) => {
    const remove = row.inject(deployment, { fault, calls: calls(n) })
    return () => {
      remove()
      return []
    }
  },
})

/** More calls than a request makes. */
const fromThen = (n: number): number[] => Array.from({ length: 1000 }, (_, at) => n + at)

/** Changes that others can make at a cloud between two calls of one request. */
export const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  'one refused call': refusing('access-denied', (n) => [n]),
  'a loss of rights from any call on': refusing('access-denied', fromThen),
  'a revocation of credentials from any call on': refusing('expired-credentials', fromThen),
  'a key that others disable after any call': otherPeople(
    ({ row, deployment, ours }) => ours().forEach(({ ref }) => row.others.disable?.(deployment, ref)),
    ({ others }) => others.disable !== undefined,
  ),
  'a key that others remove after any call': otherPeople(
    ({ row, deployment, ours }) => ours().forEach(({ ref }) => row.others.remove(deployment, ref)),
    () => true,
  ),
  'a key that others move out of sight after any call': otherPeople(
    ({ row, deployment, ours }) => ours().flatMap(({ ref }) => row.others.hide?.(deployment, ref) ?? []),
    ({ others }) => others.hide !== undefined,
  ),
  'a name that others take after any call': otherPeople(
    ({ row, deployment, name, ours }) => (ours().length === 0 ? row.others.takeName?.(deployment, name) : undefined),
    ({ others }, { prepare }) => others.takeName !== undefined && prepare === undefined,
  ),
}
