import { useQuery } from '@tanstack/preact-query'
import { CLOUDS } from '../../clouds.ts'
import { keymgr } from '../../service.ts'
import { isNew, stepsOf, type Facts, type Step } from './steps.ts'

const ONE = { limit: 1 }
const totalOf = async (page: Promise<{ readonly total: number }>): Promise<number> => (await page).total

async function factsNow(signal: AbortSignal): Promise<Facts> {
  const jobs = (operation: 'keymgr_synchronization' | 'keymgr_key_rotation') =>
    totalOf(keymgr.get('/v1/scheduler/job-configs', { query: { ...ONE, operation: [operation] }, signal }))
  const connections = (query: object) =>
    totalOf(keymgr.get('/v1/connectionmgmt/connections', { query: { ...ONE, category: ['cloud'], ...query }, signal }))
  const self = await keymgr.get('/v1/auth/self/user', { signal })
  // A cloud that does not answer does not hide the steps: the others decide.
  const containers = await Promise.all(
    CLOUDS.map((cloud) => totalOf(cloud.containers.list(ONE, signal)).catch(() => 0)),
  )
  return {
    connections: await connections({}),
    working: await connections({ last_connection_ok: true }),
    containers: containers.reduce((sum, total) => sum + total, 0),
    keys: await totalOf(keymgr.get('/v1/vault/keys2', { query: ONE, signal })),
    reads: await jobs('keymgr_synchronization'),
    rotations: await jobs('keymgr_key_rotation'),
    users: await totalOf(keymgr.get('/v1/usermgmt/users', { query: ONE, signal })),
    providers: await totalOf(keymgr.get('/v1/usermgmt/connections', { query: ONE, signal })),
    hasOwnPassword: (self.password_changed_at ?? '') > self.created_at,
  }
}

/**
 * The steps in a new domain, in order. Absent once the domain has more to show, and for users without permission to
 * read the facts.
 */
export function FirstSteps() {
  const { data } = useQuery({ queryKey: ['first-steps'], queryFn: ({ signal }) => factsNow(signal) })
  if (data === undefined || !isNew(data)) return null
  const steps = stepsOf(data)
  const here = steps.findIndex(({ isDone }) => !isDone)
  return (
    <section class="card first-steps">
      <h2>First steps</h2>
      <ol>
        {steps.map((step, at) => (
          <StepItem key={step.title} step={step} isHere={at === here} />
        ))}
      </ol>
    </section>
  )
}

function StepItem({
  step: { title, text, button, at, isDone },
  isHere,
}: {
  readonly step: Step
  readonly isHere: boolean
}) {
  return (
    <li class={isDone ? 'done' : ''} aria-current={isHere ? 'step' : undefined}>
      <div>
        <h3>
          {isDone && <span aria-hidden="true">✓ </span>}
          {title}
          {isDone && <span class="unseen"> (done)</span>}
        </h3>
        <p class="quiet">{text}</p>
      </div>
      {!isDone && (
        <a class={isHere ? 'button main' : 'button'} href={at}>
          {button}
        </a>
      )}
    </li>
  )
}
