import { startFlow } from '../flow/start-flow.ts'
import type { JobFlow } from './kinds.ts'
import type { JobState } from './state.ts'

/** Starts the execution of a job's generation; the same generation twice is one. @throws Refusal UNAVAILABLE */
export const startGeneration = <J extends JobState>(
  { flow, input }: JobFlow<J>,
  domain: string,
  job: J,
  budget?: AbortSignal,
): Promise<void> => startFlow(flow, `${job.id}-${job.generation}`, input(domain, job), budget)
