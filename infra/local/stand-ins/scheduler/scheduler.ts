import type { Clock } from '../../clock.ts'
import type { DeliveryFaults, Targets } from './delivery.ts'
import { createFiring, type Firing } from './firing.ts'
import { operationsOf } from './operations.ts'
import { DEFAULT_GROUP } from './request.ts'
import { serveRest } from './rest.ts'
import { openShelf } from './shelf.ts'
import type { Schedule } from './schedule.ts'

export interface Scheduler extends Pick<Firing, 'fireDue' | 'waiting' | 'givenUp' | 'nextDue'> {
  readonly endpoint: string
  /** All of them, in order of creation. */
  readonly schedules: () => readonly Schedule[]
  /** Replaces all faults; `{}` ends them. */
  readonly setFaults: (faults: DeliveryFaults) => void
  /** Fires due schedules every second until the returned function is called, which waits for running deliveries. */
  readonly run: () => () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface SchedulerOptions {
  /** Groups that exist besides `default`. */
  readonly groups: readonly string[]
  readonly clock: Pick<Clock, 'now'>
  readonly targets: Targets
  /** Stores schedules and how far they have fired. */
  readonly file?: string
}

const LOOK_EVERY_MS = 1_000

/**
 * A stand-in for EventBridge Scheduler over its wire protocol, with its rules. It starts state machines and functions
 * of this deployment. Not supported: tags, time zones, encryption keys, other targets, and dead letters. In a flexible
 * window it fires at once.
 */
export async function startScheduler({ groups, clock, targets, file }: SchedulerOptions): Promise<Scheduler> {
  const shelf = openShelf(file)
  const now = () => clock.now().getTime()
  for (const name of [DEFAULT_GROUP, ...groups]) {
    if (shelf.group(name) === undefined) shelf.putGroup({ name, createdAt: now(), modifiedAt: now() })
  }
  const firing = createFiring({ shelf, now, targets })
  const service = await serveRest(operationsOf({ shelf, now, changed: firing.changed }))
  return {
    endpoint: service.endpoint,
    schedules: shelf.schedules,
    fireDue: firing.fireDue,
    waiting: firing.waiting,
    givenUp: firing.givenUp,
    nextDue: firing.nextDue,
    setFaults: firing.setFaults,
    run: () => {
      const look = () => void firing.fireDue().catch(() => undefined) // the next look repeats it
      const timer = setInterval(look, LOOK_EVERY_MS).unref()
      return () => {
        clearInterval(timer)
        return firing.settled()
      }
    },
    stop: async () => {
      await service.stop()
      await firing.settled()
      shelf.close()
    },
  }
}
