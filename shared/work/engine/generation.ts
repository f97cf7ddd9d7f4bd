import { pauseMs } from '../../base/attempts.ts'
import { DAY_MS, later, MINUTE_MS } from '../../base/time.ts'
import { Time } from '../../http/common-fields.ts'
import type { FlowName } from '../flow/start-flow.ts'
import * as z from 'zod'

/** Stored with every job: the progress of its executions. */
export const GENERATION_FIELDS = {
  /** executions started so far: names the next one */
  generation: z.int(),
  /** consecutive generations without progress, including this one */
  resumes: z.int().optional(),
  /**
   * while running: time at which the sweeper resumes it unless there was a heartbeat; after its end: time at which its
   * record is removed
   */
  dueAt: Time,
}

/** Stored with every job (`GENERATION_FIELDS`). */
export interface JobState {
  readonly id: string
  readonly generation: number
  readonly resumes?: number | undefined
  readonly dueAt: string
}

/** Ours: when the sweeper checks whether the execution of a new job was started. */
const STARTED_BY_MS = 2 * MINUTE_MS
/** A job whose execution is about to be started. */
export const newGenerations = (now: Date) => ({ generation: 0, dueAt: later(now, STARTED_BY_MS).toISOString() })

/** When the sweeper starts another execution unless there is a heartbeat; the former execution may still run. */
export const silentAt = (now: Date): string => later(now, pauseMs('generation')).toISOString()

/** Ours: records of jobs are kept for 90 days after their end. */
export const keptUntil = (now: Date): string => later(now, 90 * DAY_MS).toISOString()

/** The flow of a job: enough for a request to start one. */
export interface JobFlow<J> {
  readonly flow: FlowName
  /** input of each execution; ids and counts, no secrets */
  readonly input: (domain: string, job: J) => object
}

/** Starts the execution of a job's generation. Repeated calls start it once. @throws Refusal UNAVAILABLE */
export async function startGeneration<J extends JobState>(
  { flow, input }: JobFlow<J>,
  domain: string,
  job: J,
  budget?: AbortSignal,
): Promise<void> {
  const { startFlow } = await import('../flow/start-flow.ts') // with its client of the SDK, which few calls need
  await startFlow(flow, `${job.id}-${job.generation}`, input(domain, job), budget)
}
