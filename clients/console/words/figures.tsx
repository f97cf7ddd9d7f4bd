import { count } from './numbers.ts'

interface Figure {
  readonly title: string
  readonly value: number
  readonly isBad?: boolean
}

/** A few numbers with their names. */
export function Figures({ label, figures }: { readonly label: string; readonly figures: readonly Figure[] }) {
  return (
    <dl class="figures" aria-label={label}>
      {figures.map(({ title, value, isBad }) => (
        <div key={title} class={isBad === true ? 'tile bad' : 'tile'}>
          <dt>{title}</dt>
          <dd>{count(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
