import { useQueries } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { isProblem } from '../../sdk/problem.ts'
import type { Hit } from '../search/rank.ts'
import { recentPages } from '../search/recent.ts'
import { grouped, SOURCES } from '../search/sources.ts'
import type { DialogProps } from './keyboard.tsx'

/** Lists are asked this long after the last key. */
const PAUSE_MS = 180

/** A text that has not changed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(text), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text])
  return rested
}

type Groups = ReturnType<typeof grouped>

interface Found {
  readonly groups: Groups
  /** lists that have not answered yet, and those that failed */
  readonly pending: readonly string[]
  readonly failed: readonly string[]
}

function useFound(text: string): Found {
  const answers = useQueries({
    queries: SOURCES.map(({ title, find }) => ({
      queryKey: ['search', title, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(text, signal),
      enabled: text !== '',
      retry: false,
    })),
  })
  const titlesOf = (is: (answer: (typeof answers)[number]) => boolean): readonly string[] =>
    SOURCES.flatMap(({ title }, at) => {
      const answer = answers[at]
      return answer !== undefined && is(answer) ? [title] : []
    })
  if (text === '') return { groups: [['Opened last', recentPages()]], pending: [], failed: [] }
  return {
    groups: grouped(
      text,
      answers.map(({ data }) => data ?? []),
    ),
    pending: titlesOf(({ isFetching }) => isFetching),
    failed: titlesOf(({ error }) => error !== null && !isProblem(error, 'denied')),
  }
}

/** Finds keys, containers, endpoints, people and pages by name or id. */
export default function Search({ close, takeEarly }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { route } = useLocation()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const text = useRested(typed.trim())
  const { groups, pending, failed } = useFound(text)
  const hits = groups.flatMap(([, each]) => each)
  useEffect(() => {
    dialog.current?.showModal()
    setTyped(takeEarly())
  }, [])
  useEffect(() => setActive(0), [text])
  useEffect(() => document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' }), [active])
  const open = (hit: Hit | undefined, isApart: boolean): void => {
    if (hit === undefined) return
    dialog.current?.close()
    if (isApart) window.open(hit.href, '_blank', 'noopener')
    else route(hit.href)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setActive(Math.max(0, Math.min(hits.length - 1, active + step)))
    else if (event.key === 'Enter') open(hits[active], event.ctrlKey || event.metaKey)
    // Without this, the browser clears the field at the first Escape.
    else if (event.key === 'Escape') dialog.current?.close()
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} class="search" aria-label="Search" onClose={close}>
      <input
        type="search"
        role="combobox"
        aria-label="Search keys, containers and people"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-activedescendant={hits.length > 0 ? `${id}-${active}` : undefined}
        placeholder="A name, a part of it, or an id"
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Hits {...{ id, groups, active, open }} />
      <p class="quiet" role="status">
        {wordsOf(text, hits.length, pending, failed)}
      </p>
    </dialog>
  )
}

function wordsOf(text: string, hits: number, pending: readonly string[], failed: readonly string[]): string {
  if (text === '') return 'Arrows choose, Enter opens, Ctrl+Enter opens a new tab.'
  if (pending.length > 0) return `Still asked: ${pending.join(', ')}`
  const rest = failed.length > 0 ? ` Not searched, because they failed: ${failed.join(', ')}.` : ''
  return `${hits} found in what you may see.${rest}`
}

interface HitsProps {
  readonly id: string
  readonly groups: Groups
  readonly active: number
  readonly open: (hit: Hit, isApart: boolean) => void
}

function Hits({ id, groups, active, open }: HitsProps) {
  let at = -1
  return (
    <div id={`${id}-hits`} role="listbox" aria-label="Found" class="hits">
      {groups.map(([group, hits]) => (
        <div key={group} role="group" aria-label={group}>
          <p class="quiet" aria-hidden="true">
            {group}
          </p>
          {hits.map((hit) => {
            at += 1
            return (
              <div
                key={hit.href}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === active}
                onClick={(event) => open(hit, event.ctrlKey || event.metaKey)}
              >
                <b>{hit.title}</b> <span class="quiet">{hit.detail}</span>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
