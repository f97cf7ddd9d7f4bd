/**
 * Takes the place of `serving/pipeline.ts` in the process of `pipeline-steps.ts`: the same pipeline, whose steps are
 * timed. Bundles have no such hook, so the product pays nothing for it.
 */
import { serve as serveUntimed } from '../shared/serving/pipeline.ts'

/** Microseconds of each step since `takeSteps`. */
let steps = new Map<string, number>()

export function takeSteps(): ReadonlyMap<string, number> {
  const taken = steps
  steps = new Map()
  return taken
}

type Step = (...given: unknown[]) => unknown

function timed(name: string, step: Step): Step {
  return (...given) => {
    const from = performance.now()
    try {
      return step(...given)
    } finally {
      steps.set(name, (steps.get(name) ?? 0) + (performance.now() - from) * 1_000)
    }
  }
}

const PLANE_STEPS = ['parsePath', 'authenticate', 'resource', 'read', 'permit', 'headers'] as const
const VERB_STEPS = ['read', 'key', 'use'] as const

function timedSteps(of: object, names: readonly string[], prefix: string): object {
  const own = Object.entries(of).map(([name, value]: [string, unknown]) => [
    name,
    names.includes(name) && typeof value === 'function' ? timed(`${prefix}${name}`, value.bind(of) as Step) : value,
  ])
  return Object.fromEntries(own) as object
}

/** The handler of a data plane, whose warm steps are timed: a step that waits counts only until it waits. */
export const serve = ((plane: Parameters<typeof serveUntimed>[0]) => {
  const verbs = new Map<object, object>()
  const verb = (address: Parameters<typeof plane.verb>[0]): object => {
    const given = plane.verb(address)
    const known = verbs.get(given) ?? timedSteps(given, VERB_STEPS, 'verb.')
    verbs.set(given, known)
    return known
  }
  const handler = serveUntimed({ ...timedSteps(plane, PLANE_STEPS, ''), verb } as typeof plane)
  return async (event: Parameters<typeof handler>[0]) => {
    const from = performance.now()
    const answer = await handler(event)
    steps.set('whole call', (steps.get('whole call') ?? 0) + (performance.now() - from) * 1_000)
    return answer
  }
}) as typeof serveUntimed
