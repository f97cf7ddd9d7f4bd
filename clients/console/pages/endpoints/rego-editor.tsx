import type { RefObject } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { isProblem } from '../../../sdk/problem.ts'

/** An error of a policy, as the service reports it. Lines and columns count from 1. */
export interface RegoFault {
  readonly line: number
  readonly column: number
  readonly detail: string
}

const PLACED = /^line (\d+), column (\d+): (.*)$/s
/** Minimum number of lines, and the maximum without scrolling. */
const [LEAST_LINES, MOST_LINES] = [12, 28]

/** The errors of a refusal that have a position in the policy. */
export function regoFaults(error: unknown): readonly RegoFault[] {
  if (!isProblem(error)) return []
  return error.errors.flatMap((each) => {
    const [, line, column, detail] = PLACED.exec(each.detail) ?? []
    return detail === undefined ? [] : [{ line: Number(line), column: Number(column), detail }]
  })
}

/** Moves the cursor to a position in the text, and selects the rest of its line. */
export function goTo(area: HTMLTextAreaElement, line: number, column = 1): void {
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  area.focus()
  area.setSelectionRange(start + column - 1, start + (lines[line - 1]?.length ?? 0))
  area.scrollTop = Math.max(0, line - 4) * (area.scrollHeight / lines.length)
}

interface EditorProps {
  readonly label: string
  readonly area: RefObject<HTMLTextAreaElement>
  readonly value: string
  readonly set: (value: string) => void
  readonly faults: readonly RegoFault[]
}

/** A text field with line numbers: an error is marked at its line, and the list below links to it. */
export function RegoEditor({ label, area, value, set, faults }: EditorProps) {
  const id = useId()
  const numbers = useRef<HTMLDivElement>(null)
  const count = value.split('\n').length
  const follow = (): void => {
    if (numbers.current !== null) numbers.current.scrollTop = area.current?.scrollTop ?? 0
  }
  useLayoutEffect(follow)
  return (
    <div class="rego">
      <label for={id}>{label}</label>
      <div class="frame">
        <div class="numbers" ref={numbers} aria-hidden="true">
          {Array.from({ length: count }, (_, at) => (
            <span key={at} class={faults.some(({ line }) => line === at + 1) ? 'faulty' : ''}>
              {at + 1}
            </span>
          ))}
        </div>
        <textarea
          id={id}
          ref={area}
          value={value}
          rows={Math.min(MOST_LINES, Math.max(LEAST_LINES, count + 1))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={faults.length > 0}
          aria-describedby={faults.length > 0 ? `${id}-faults` : undefined}
          onInput={(event) => set(event.currentTarget.value)}
          onScroll={follow}
        />
      </div>
      <div id={`${id}-faults`} role="alert">
        <ul class="faults">
          {faults.map(({ line, column, detail }) => (
            <li key={`${line}:${column}:${detail}`}>
              <button
                type="button"
                class="plain"
                onClick={() => {
                  if (area.current !== null) goTo(area.current, line, column)
                }}
              >
                Line {line}, column {column}
              </button>{' '}
              {detail}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
