import type { ConnectionRow } from '../../connections/row.ts'
import { linesOf, type Line, type Tested } from '../../connections/test-lines.ts'

const MARKS = { good: '✓', bad: '✕', open: '○' } as const
const WORDS = { good: 'Passed', bad: 'Failed', open: 'Not known yet' } as const

/** The lines of a test, each with its state and, after a fault, what the user can do. */
export function TestResult({ of, tested }: { readonly of: ConnectionRow; readonly tested: Tested }) {
  return (
    <div role="status" aria-label="Result of the test">
      <ol class="test-lines">
        {linesOf(of, tested).map((line) => (
          <TestLine key={line.title} line={line} />
        ))}
      </ol>
    </div>
  )
}

function TestLine({ line: { title, state, text, next = [] } }: { readonly line: Line }) {
  return (
    <li class={state}>
      <p>
        <span class="mark" aria-hidden="true">
          {MARKS[state]}
        </span>{' '}
        <b>{title}</b> <span class="unseen">{WORDS[state]}</span>
      </p>
      <p>{text}</p>
      {next.length > 0 && (
        <ol>
          {next.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
    </li>
  )
}
