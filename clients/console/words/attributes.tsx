import type { ComponentChildren } from 'preact'
import { When } from './when.tsx'

const isTime = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

/** A label, and a text, a time, or anything that can be drawn. */
export type AttributeRow = readonly [label: string, value: ComponentChildren]

/** Attributes of a resource, without those that are empty. */
export function Attributes({
  title = 'Attributes',
  rows,
}: {
  readonly title?: string
  readonly rows: readonly AttributeRow[]
}) {
  return (
    <section>
      <h2>{title}</h2>
      <AttributeList rows={rows} />
    </section>
  )
}

export function AttributeList({ rows }: { readonly rows: readonly AttributeRow[] }) {
  return (
    <dl class="attributes">
      {rows.map(([label, value]) =>
        value === undefined || value === null || value === '' ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{isTime(value) ? <When time={value} /> : value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
