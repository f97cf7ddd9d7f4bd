interface BusyButtonProps {
  readonly type?: 'button' | 'submit'
  readonly class?: string
  readonly title: string
  /** in place of the title while the call is under way */
  readonly busyTitle: string
  readonly isBusy: boolean
  readonly isDisabled?: boolean
  readonly onClick?: () => void
}

/** A button that shows that its call is under way. It keeps the focus, so the caller has to ignore further clicks. */
export const BusyButton = ({ type = 'button', title, busyTitle, isBusy, isDisabled, ...rest }: BusyButtonProps) => (
  <button type={type} aria-disabled={isBusy || isDisabled === true} {...rest}>
    {isBusy ? busyTitle : title}
  </button>
)

interface CancelButtonProps {
  readonly cancel: (() => void) | undefined
  readonly title?: string
}

/** Leaves a form without its call; absent where the form is the whole page. */
export const CancelButton = ({ cancel, title = 'Cancel' }: CancelButtonProps) =>
  cancel === undefined ? null : (
    <button type="button" class="cancel" onClick={cancel}>
      {title}
    </button>
  )
