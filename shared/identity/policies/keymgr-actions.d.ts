/** The actions of all operations, inserted by the build. */
declare module 'keymgr:actions' {
  const actions: Readonly<Record<string, string>>
  export default actions
}
