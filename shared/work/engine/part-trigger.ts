import * as z from 'zod'
import { trigger, type AnyTrigger } from '../../base/trigger.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import type { Engine } from './engine.ts'
import type { JobState } from './generation.ts'
import type { WorkItemState } from './turn.ts'

/** The fields that every step of a flow has. */
export const FlowStep = object(() => ({ scheduled_time: z.iso.datetime(), domain: z.string(), generation: z.int() }))

/** A step of a flow that works part by part (`infra/flows.ts`), without the id of its job. */
const PartStep = z.discriminatedUnion('step', [
  extended(FlowStep, () => ({ step: z.enum(['plan', 'finish']) })),
  extended(FlowStep, () => ({ step: z.enum(['part', 'fail-part']), part: z.string(), cause: z.unknown().optional() })),
])

/**
 * The trigger of a flow that works part by part.
 * @param of the field of its events with the id of the job
 */
export const partTrigger = <J extends JobState, I extends WorkItemState>(
  name: string,
  of: 'job' | 'report',
  engine: Engine<J, I>,
): AnyTrigger =>
  trigger({
    name,
    resume: (input, { now }) => {
      const { domain, generation, [of]: job } = z.looseObject({ domain: z.string(), generation: z.int() }).parse(input)
      return engine.finish(domain, z.uuid().parse(job), generation, now)
    },
    event: PartStep.and(z.looseObject({ [of]: z.uuid() })),
    run: async (event, sweep) => {
      const { domain, generation } = event
      const job = z.string().parse(event[of])
      if ('part' in event) {
        const step = { domain, job, item: event.part, generation }
        return event.step === 'part' ? engine.takeTurn(step, sweep) : engine.failItem(step, event.cause, sweep.now)
      }
      if (event.step === 'plan') return { parts: await engine.plan(domain, job, sweep.now) }
      return engine.finish(domain, job, generation, sweep.now)
    },
  })
