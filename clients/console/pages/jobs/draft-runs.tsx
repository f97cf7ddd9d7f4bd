import { useEffect, useState } from 'preact/hooks'
import type { AnswerOf } from '../../../sdk/calls.ts'
import type { Call } from '../../calls.ts'
import { keymgr } from '../../service.ts'
import { NextRuns } from './next-runs.tsx'

/** A form is previewed when it has not changed for this time. */
const STILL_MS = 400

function useStill<T>(value: T): T {
  const [still, setStill] = useState(value)
  const name = JSON.stringify(value)
  useEffect(() => {
    const timer = window.setTimeout(() => setStill(value), STILL_MS)
    return () => window.clearTimeout(timer)
  }, [name])
  return still
}

type Body = Record<string, unknown>

/**
 * The next runs of a configuration that is being edited. @param callFor the preview call of a body, which changes
 * nothing
 */
export function DraftRuns({ body, callFor }: { readonly body: Body; readonly callFor: (body: Body) => Call }) {
  const still = useStill(body)
  return (
    <NextRuns
      isDraft
      of={['draft', callFor(still).path, still]}
      load={async (signal) => {
        const { method, path, init } = callFor(still)
        const { body: answer } = await keymgr.request(method, path, { ...init, signal })
        return answer as AnswerOf<'get', '/v1/scheduler/job-configs/{id}/preview'> // type of the described answer
      }}
    />
  )
}
