/** The actions of all operations, put in by the build. */
declare module 'keymgr:actions' {
  const actions: Readonly<Record<string, string>>
  export default actions
}
