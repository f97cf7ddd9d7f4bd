import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isProblem } from '../../sdk/problem.ts'
import { Failed, Loading } from './states.tsx'
import { settledOf, type Source } from './settled.ts'

/** After this time, the sources that are still awaited are named. */
const NAMED_AFTER_MS = 4_000

/** Shows figures once all their sources have answered. Those that failed are named below: the figures lack them. */
export function Settling(props: { readonly sources: readonly Source[]; readonly children: () => ComponentChildren }) {
  const { isSettled, pending, failed } = settledOf(props.sources)
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (isSettled) return
    const timer = window.setTimeout(() => setLong(true), NAMED_AFTER_MS)
    return () => window.clearTimeout(timer)
  }, [isSettled])
  if (!isSettled) return <Loading what={isLong ? `Waiting for ${pending.join(', ')}` : 'Loading'} />
  const hidden = failed.filter(({ error }) => isProblem(error, 'denied'))
  return (
    <>
      {failed.length < props.sources.length && props.children()}
      {failed
        .filter((each) => !hidden.includes(each))
        .map(({ title, error }) => (
          <Failed key={title} error={new Error(`Without ${title}: ${error.message}`)} />
        ))}
      {hidden.length > 0 && <p class="quiet">You may not see {hidden.map(({ title }) => title).join(', ')}.</p>}
    </>
  )
}
